package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v2"
)

// printDocuments prints one line of typed JSON per document of a stream: every scalar is a string
// with a letter in front that says what it was read as.
func printDocuments(in *bufio.Reader, out *bufio.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		line, err := typedDocument(append(bytes.Clone(document), '\n'))
		if err != nil {
			line = "error: " + strconv.QuoteToASCII(err.Error())
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func typedDocument(document []byte) (string, error) {
	var value any
	if err := goyaml.UnmarshalStrict(document, &value); err != nil {
		return "", err
	}
	if fitsJSON(value) {
		if err := agreesWithKubernetes(document, value); err != nil {
			return "", err
		}
	}
	line, err := json.Marshal(typed(value))
	return string(line), err
}

// fitsJSON is false when there are infinities or NaNs, for which JSON has no words.
func fitsJSON(value any) bool {
	switch v := value.(type) {
	case map[any]any:
		for _, entry := range v {
			if !fitsJSON(entry) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !fitsJSON(item) })
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return true
}

// agreesWithKubernetes reads once more in the way of kubectl and the API server, through JSON.
func agreesWithKubernetes(document []byte, value any) error {
	asJSON, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return err
	}
	var other any
	decoder := json.NewDecoder(bytes.NewReader(asJSON))
	decoder.UseNumber()
	if err := decoder.Decode(&other); err != nil {
		return err
	}
	if !reflect.DeepEqual(untyped(value), untyped(other)) {
		return fmt.Errorf("sigs.k8s.io/yaml reads %s", asJSON)
	}
	return nil
}

func typed(value any) any {
	switch v := value.(type) {
	case map[any]any:
		result := map[string]any{}
		for key, entry := range v {
			result[typed(key).(string)] = typed(entry)
		}
		return result
	case []any:
		result := make([]any, len(v))
		for i, item := range v {
			result[i] = typed(item)
		}
		return result
	case string:
		return "s:" + v
	case bool:
		return "b:" + strconv.FormatBool(v)
	case nil:
		return "n:"
	case float64:
		return "f:" + floatBits(v)
	default:
		return fmt.Sprintf("i:%d", v)
	}
}

// untyped has maps with string keys and numbers as floats, so that a value that went through JSON
// can be compared with one that did not.
func untyped(value any) any {
	switch v := value.(type) {
	case map[any]any:
		result := map[string]any{}
		for key, entry := range v {
			result[fmt.Sprint(key)] = untyped(entry)
		}
		return result
	case map[string]any:
		for key, entry := range v {
			v[key] = untyped(entry)
		}
		return v
	case []any:
		result := make([]any, len(v))
		for i, item := range v {
			result[i] = untyped(item)
		}
		return result
	case string, bool, nil:
		return v
	default:
		number, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		if err != nil {
			return err.Error()
		}
		return number
	}
}

func floatBits(v float64) string {
	if math.IsNaN(v) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(v))
}
