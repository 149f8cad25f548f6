package admission

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"sigs.k8s.io/yaml"
)

// schemas of custom resources, by apiVersion and kind.
type schemas map[string]*schema.Structural

func readSchemas(directories []string) (schemas, error) {
	all := schemas{}
	for _, directory := range directories {
		err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
				return err
			}
			return all.read(path)
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (all schemas) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var crd v1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
		return nil
	}
	for _, version := range crd.Spec.Versions {
		var props apiextensions.JSONSchemaProps
		err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
			version.Schema.OpenAPIV3Schema, &props, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		structural, err := schema.NewStructural(&props)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all[crd.Spec.Group+"/"+version.Name+" "+crd.Spec.Names.Kind] = structural
	}
	return nil
}

// complete does what the API server does before a webhook sees an object.
func (all schemas) complete(object map[string]any) {
	if structural := all[kindOf(object)]; structural != nil {
		defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
		defaulting.Default(object, structural)
	}
	metadata, _ := object["metadata"].(map[string]any)
	prefix, generated := metadata["generateName"].(string)
	if _, named := metadata["name"]; generated && !named {
		metadata["name"] = prefix[:min(len(prefix), 58)] + "abcde"
	}
}
