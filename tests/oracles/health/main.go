// Command health says what Argo CD and Flux make of the statuses of jobs. Each line of its input is one question,
// {"object": ..., "lua": script} or {"object": ..., "expressions": {...}}; each line of its output is the answer.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/apis/kustomize"
	"k8s.io/apimachinery/pkg/util/json"
)

type question struct {
	Object      map[string]any                    `json:"object"`
	Lua         string                            `json:"lua"`
	Expressions *kustomize.HealthCheckExpressions `json:"expressions"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var asked question
		// As in controllers, integers stay integers.
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			fmt.Fprintln(out, "no question:", err)
			continue
		}
		if asked.Expressions != nil {
			fmt.Fprintln(out, flux(asked))
		} else {
			fmt.Fprintln(out, argocd(asked))
		}
	}
}
