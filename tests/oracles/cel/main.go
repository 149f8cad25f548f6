// Command oracle says what the API server's own CEL makes of rules and expressions. The tests
// compare its answers with ours.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	modes := map[string]func(*bufio.Scanner, *bufio.Writer) error{
		"rules":       checkRules,
		"expressions": evaluateExpressions,
		"objects":     checkObjects,
	}
	if len(os.Args) != 2 || modes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: oracle rules|expressions|objects <input >output")
		os.Exit(2)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	err := modes[os.Args[1]](in, out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
