// Command oracle says what the training operators' own webhooks and checks make of objects. The
// tests compare its answers with ours.
//
// It reads a line of JSON for each case, `{"object": ..., "old": ..., "with": [...]}`: the object,
// what it replaces if anything, and what is in the cluster besides. It answers `accepted`, or
// `refused: ` and why. The arguments are directories with CRDs, whose defaults come first.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// A testCase is one question.
type testCase struct {
	Object map[string]any   `json:"object"`
	Old    map[string]any   `json:"old"`
	With   []map[string]any `json:"with"`
}

func answer(line []byte, schemas schemas) (string, error) {
	var asked testCase
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

func run() error {
	ctrl.SetLogger(logr.Discard())
	schemas, err := readSchemas(os.Args[1:])
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		line, err := answer(in.Bytes(), schemas)
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

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
