package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// question is one line of input: a rule of a CRD, and a value at its place.
type question struct {
	File    string `json:"file"`
	Version string `json:"version"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Self    any    `json:"self"`
	OldSelf any    `json:"oldSelf"`
}

// checkRules prints `holds`, `broken`, `unfit` for a value of another type, or an error.
func checkRules(in *bufio.Scanner, out *bufio.Writer) error {
	files := map[string]*apiextensions.CustomResourceDefinition{}
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			return err
		}
		answer, err := check(&q, files)
		if err != nil {
			answer = "error: " + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Fprintln(out, answer)
	}
	return in.Err()
}

func check(q *question, files map[string]*apiextensions.CustomResourceDefinition) (string, error) {
	root, err := structural(q, files)
	if err != nil {
		return "", err
	}
	node, rules, err := descend(root, q)
	if err != nil {
		return "", err
	}
	if !fits(node, q.Self) {
		return "unfit", nil
	}
	defaulting.Default(q.Self, node)
	if q.OldSelf != nil {
		defaulting.Default(q.OldSelf, node)
	}
	stripped := strip(node)
	for _, rule := range rules {
		if strings.Join(strings.Fields(rule.Rule), " ") == strings.Join(strings.Fields(q.Rule), " ") {
			stripped.XValidations = append(stripped.XValidations, rule)
		}
	}
	if len(stripped.XValidations) == 0 {
		return "", fmt.Errorf("no such rule at %s", q.Path)
	}
	validator := cel.NewValidator(stripped, q.Path == ".", celconfig.PerCallLimit)
	found, _ := validator.Validate(context.Background(), nil, stripped, q.Self, q.OldSelf,
		celconfig.RuntimeCELCostBudget)
	for _, each := range found {
		if strings.Contains(each.Detail, "evaluating rule") || strings.Contains(each.Detail, "rule compile error") ||
			strings.Contains(each.Detail, "no such overload") {
			return "", fmt.Errorf("%s", each.Detail)
		}
	}
	if len(found) > 0 {
		return "broken", nil
	}
	return "holds", nil
}

func structural(q *question, files map[string]*apiextensions.CustomResourceDefinition) (*schema.Structural, error) {
	crd := files[q.File]
	if crd == nil {
		text, err := os.ReadFile(q.File)
		if err != nil {
			return nil, err
		}
		var v1 apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &v1); err != nil {
			return nil, err
		}
		scheme := runtime.NewScheme()
		install.Install(scheme)
		crd = &apiextensions.CustomResourceDefinition{}
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
		if err := scheme.Convert(&v1, crd, nil); err != nil {
			return nil, err
		}
		files[q.File] = crd
	}
	for _, version := range crd.Spec.Versions {
		if version.Name != q.Version {
			continue
		}
		if version.Schema != nil {
			return schema.NewStructural(version.Schema.OpenAPIV3Schema)
		}
		return schema.NewStructural(crd.Spec.Validation.OpenAPIV3Schema)
	}
	return nil, fmt.Errorf("no version %s", q.Version)
}

// descend walks a path such as `.spec.levels[]`, whose `[]` stands for the items of a list or the
// values of a map.
func descend(node *schema.Structural, q *question) (*schema.Structural, apiextensionsv1.ValidationRules, error) {
	path := strings.ReplaceAll(q.Path, "[]", ".[]")
	for _, step := range strings.Split(path, ".") {
		switch {
		case step == "":
		case step == "[]" && node.Items != nil:
			node = node.Items
		case step == "[]" && node.AdditionalProperties != nil:
			node = node.AdditionalProperties.Structural
		default:
			next, ok := node.Properties[step]
			if !ok {
				return nil, nil, fmt.Errorf("no field %s in %s", step, q.Path)
			}
			node = &next
		}
	}
	return node, node.XValidations, nil
}

// strip takes all rules out of a copy of a schema.
func strip(node *schema.Structural) *schema.Structural {
	result := node.DeepCopy()
	visitor := schema.Visitor{Structural: func(s *schema.Structural) bool {
		s.XValidations = nil
		return true
	}}
	visitor.Visit(result)
	return result
}

// fits looks at the type of a value and, of a list, at that of its first item.
func fits(node *schema.Structural, value any) bool {
	kind := node.Type
	switch v := value.(type) {
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array" && (len(v) == 0 || fits(node.Items, v[0]))
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	default:
		return kind == "integer" || kind == "number"
	}
}
