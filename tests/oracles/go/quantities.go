package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// printQuantities answers lines of two quantities and an integer, separated by tabs, with: the
// canonical text of both, how they compare, the sum, the product with the integer, and the first
// one rounded up to an integer. A text that is no quantity is answered with "error" alone.
func printQuantities(in *bufio.Reader, out *bufio.Writer) error {
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		fields := strings.Split(scanner.Text(), "\t")
		if len(fields) != 3 {
			return fmt.Errorf("not three fields: %q", scanner.Text())
		}
		line, err := answer(fields[0], fields[1], fields[2])
		if err != nil {
			line = "error"
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return scanner.Err()
}

func answer(left, right, factor string) (string, error) {
	a, err := resource.ParseQuantity(left)
	if err != nil {
		return "", err
	}
	b, err := resource.ParseQuantity(right)
	if err != nil {
		return "", err
	}
	times, err := strconv.ParseInt(factor, 10, 64)
	if err != nil {
		return "", err
	}
	sum := a.DeepCopy()
	sum.Add(b)
	product := a.DeepCopy()
	product.Mul(times)
	return fmt.Sprintf("%s\t%s\t%d\t%s\t%s\t%d", canonical(a), canonical(b), a.Cmp(b),
		canonical(sum), canonical(product), a.Value()), nil
}

// canonical does not use String, which may give back the text that was parsed.
func canonical(q resource.Quantity) string {
	number, suffix := q.CanonicalizeBytes(make([]byte, 0, 32))
	return string(number) + string(suffix)
}
