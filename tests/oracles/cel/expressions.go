package main

import (
	"bufio"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiserver/pkg/cel/environment"
)

// evaluateExpressions prints the value of each line, or `error`.
func evaluateExpressions(in *bufio.Scanner, out *bufio.Writer) error {
	env, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true).Env(environment.StoredExpressions)
	if err != nil {
		return err
	}
	for in.Scan() {
		ast, issues := env.Compile(in.Text())
		if issues.Err() != nil {
			fmt.Fprintln(out, "error")
			continue
		}
		program, err := env.Program(ast)
		if err != nil {
			fmt.Fprintln(out, "error")
			continue
		}
		value, _, err := program.Eval(map[string]any{})
		if err != nil {
			fmt.Fprintln(out, "error")
			continue
		}
		fmt.Fprintln(out, shown(value))
	}
	return in.Err()
}

func shown(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.String:
		return `"` + string(v) + `"`
	case types.Bytes:
		return `b"` + string(v) + `"`
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "some(" + shown(v.GetValue()) + ")"
	case traits.Mapper:
		lines := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			lines = append(lines, shown(key)+": "+shown(v.Get(key)))
		}
		sort.Strings(lines)
		return "{" + strings.Join(lines, ", ") + "}"
	case traits.Lister:
		lines := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			lines = append(lines, shown(it.Next()))
		}
		return "[" + strings.Join(lines, ", ") + "]"
	}
	text := value.ConvertToType(types.StringType)
	if types.IsError(text) {
		return value.Type().TypeName()
	}
	result := fmt.Sprint(text.Value())
	if _, ok := value.(types.Double); ok && strings.Trim(result, "-0123456789") == "" {
		result += ".0"
	}
	return result
}
