// Package admission puts objects to the webhooks of operators, as an API server would.
//
// A program of it reads a line of JSON for each case, `{"object": ..., "old": ..., "with": [...]}`:
// the object, what it replaces if anything, and what is in the cluster besides. It answers
// `accepted`, or `refused: ` and why. The arguments are directories with CRDs, whose defaults come
// first.
package admission

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// A Case is one question.
type Case struct {
	Object map[string]any   `json:"object"`
	Old    map[string]any   `json:"old"`
	With   []map[string]any `json:"with"`
}

// Kind is apiVersion and kind of the object in question.
func (c Case) Kind() string { return kindOf(c.Object) }

func kindOf(object map[string]any) string {
	return fmt.Sprint(object["apiVersion"], " ", object["kind"])
}

// A Verdict says what is wrong with an object: "" when it is accepted.
type Verdict func(Case) (string, error)

func (verdict Verdict) answer(line []byte, schemas schemas) (string, error) {
	var asked Case
	if err := json.Unmarshal(line, &asked); err != nil {
		return "", err
	}
	schemas.complete(asked.Object)
	if asked.Old != nil {
		schemas.complete(asked.Old)
	}
	for _, object := range asked.With {
		schemas.complete(object)
	}
	complaint, err := verdict(asked)
	if err != nil {
		return "", err
	}
	if complaint == "" {
		return "accepted", nil
	}
	return "refused: " + strings.Join(strings.Fields(complaint), " "), nil
}

func (verdict Verdict) run(cases io.Reader, answers io.Writer) error {
	ctrl.SetLogger(logr.Discard())
	schemas, err := readSchemas(os.Args[1:])
	if err != nil {
		return err
	}
	in := bufio.NewScanner(cases)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(answers)
	for in.Scan() {
		line, err := verdict.answer(in.Bytes(), schemas)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, line)
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// Answer is all that a program does.
func Answer(verdict Verdict) {
	if err := verdict.run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Decode reads an object into its Go type.
func Decode(object map[string]any, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
