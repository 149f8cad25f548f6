// Command oracle says what the libraries that Kubernetes is built from make of a text. The tests
// compare its answers with ours.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	modes := map[string]func(*bufio.Reader, *bufio.Writer) error{
		"yaml":     printDocuments,
		"quantity": printQuantities,
	}
	if len(os.Args) != 2 || modes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: oracle yaml|quantity <input >output")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	err := modes[os.Args[1]](bufio.NewReader(os.Stdin), out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
