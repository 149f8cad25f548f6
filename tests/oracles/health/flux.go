package main

import (
	"context"
	"strings"

	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// flux says the status that kustomize-controller gives an object by these expressions.
func flux(asked question) string {
	evaluator, err := cel.NewStatusEvaluator(asked.Expressions)
	if err != nil {
		return "does not compile: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	result, err := evaluator.Evaluate(context.Background(), &unstructured.Unstructured{Object: asked.Object})
	if err != nil {
		return "fails: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return string(result.Status)
}
