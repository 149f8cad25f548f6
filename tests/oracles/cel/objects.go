package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	crvalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// attempt is one line of input: an object that is created, or that replaces an old one.
type attempt struct {
	CRD    apiextensionsv1.CustomResourceDefinition `json:"crd"`
	Object map[string]any                           `json:"object"`
	Old    map[string]any                           `json:"old"`
}

// checkObjects prints `accepted`, or `refused` and the paths of what is wrong, in the order in which
// a request goes through the handler of custom resources: strict decoding, pruning, defaulting,
// preparing, validation.
func checkObjects(in *bufio.Scanner, out *bufio.Writer) error {
	for in.Scan() {
		var a attempt
		if err := json.Unmarshal(in.Bytes(), &a); err != nil {
			return err
		}
		paths, err := faults(&a)
		switch {
		case err != nil:
			fmt.Fprintln(out, "error:", strings.ReplaceAll(err.Error(), "\n", " "))
		case len(paths) == 0:
			fmt.Fprintln(out, "accepted")
		default:
			fmt.Fprintln(out, "refused", strings.Join(paths, " "))
		}
	}
	return in.Err()
}

func faults(a *attempt) ([]string, error) {
	crd := &apiextensions.CustomResourceDefinition{}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&a.CRD.Spec)
	if err := scheme.Convert(&a.CRD, crd, nil); err != nil {
		return nil, err
	}
	// Of a single version the schema and the subresources are those of the whole definition.
	props := crd.Spec.Validation.OpenAPIV3Schema
	structural, err := schema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	if errs := schema.ValidateStructural(nil, structural); len(errs) != 0 {
		return nil, errs.ToAggregate()
	}
	if errs, err := defaulting.ValidateDefaults(context.Background(), nil, structural, true, true); err != nil || len(errs) != 0 {
		return nil, fmt.Errorf("defaults: %v %v", err, errs)
	}
	paths, err := decode(a.Object, structural)
	if err != nil || len(paths) != 0 {
		return paths, err
	}
	if a.Old != nil {
		if paths, err := decode(a.Old, structural); err != nil || len(paths) != 0 {
			return nil, fmt.Errorf("the old object: %v %v", paths, err)
		}
	}
	errs := validate(a, crd, props, structural)
	seen := map[string]bool{}
	for _, each := range errs {
		// What alternatives find is said of the whole.
		path := strings.ReplaceAll(each.Field, "<nil>", ".")
		if !seen[path] {
			seen[path] = true
			paths = append(paths, strings.ReplaceAll(path, " ", "_"))
		}
	}
	sort.Strings(paths)
	return paths, nil
}

// decode makes of an object what the handler validates, and returns the fields that are unknown.
func decode(object map[string]any, structural *schema.Structural) ([]string, error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return []string{"metadata"}, nil
	}
	track := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	apiVersion, kind := object["apiVersion"], object["kind"]
	unknown = append(unknown, pruning.PruneWithOptions(object, structural, true, track)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	fault, more := objectmeta.CoerceWithOptions(nil, object, structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fault != nil {
		return []string{fault.Field}, nil
	}
	unknown = append(unknown, more...)
	object["apiVersion"], object["kind"] = apiVersion, kind
	if found {
		if err := objectmeta.SetObjectMeta(object, meta); err != nil {
			return nil, err
		}
	}
	defaulting.Default(object, structural)
	return unknown, nil
}

func validate(a *attempt, crd *apiextensions.CustomResourceDefinition, props *apiextensions.JSONSchemaProps, structural *schema.Structural) field.ErrorList {
	object := &unstructured.Unstructured{Object: a.Object}
	sub := crd.Spec.Subresources
	if sub != nil && sub.Status != nil {
		delete(a.Object, "status")
		delete(a.Old, "status")
	}
	if object.GetName() == "" && object.GetGenerateName() != "" {
		base := object.GetGenerateName()
		object.SetName(base[:min(len(base), 58)] + "xxxxx")
	}
	namespaced := crd.Spec.Scope == apiextensions.NamespaceScoped
	switch {
	case !namespaced:
		object.SetNamespace("")
	case object.GetNamespace() == "":
		object.SetNamespace("default")
	}
	object.SetGeneration(1)
	validator, _, err := crvalidation.NewSchemaValidator(props)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	var ratcheting []cel.Option
	if a.Old == nil {
		errs = append(errs, validation.ValidateObjectMetaAccessor(object, namespaced, validation.NameIsDNSSubdomain, field.NewPath("metadata"))...)
		errs = append(errs, crvalidation.ValidateCustomResource(nil, a.Object, validator)...)
	} else {
		correlated := common.NewCorrelatedObject(a.Object, a.Old, &model.Structural{Structural: structural})
		ratcheting = append(ratcheting, cel.WithRatcheting(correlated))
		errs = append(errs, crvalidation.ValidateCustomResourceUpdate(nil, a.Object, a.Old, validator, crvalidation.WithRatcheting(correlated))...)
	}
	if sub != nil && sub.Scale != nil {
		errs = append(errs, scale(a.Object, sub.Scale.SpecReplicasPath)...)
	}
	errs = append(errs, objectmeta.Validate(nil, a.Object, structural, false)...)
	if a.Old == nil || len(listtype.ValidateListSetsAndMaps(nil, structural, a.Old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, a.Object)...)
	}
	for _, each := range errs {
		switch each.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return errs
		}
	}
	var old any
	if a.Old != nil {
		old = a.Old
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	found, _ := rules.Validate(context.Background(), nil, structural, a.Object, old, celconfig.RuntimeCELCostBudget, ratcheting...)
	return append(errs, found...)
}

func scale(object map[string]any, path string) field.ErrorList {
	path = strings.TrimPrefix(path, ".")
	replicas, _, err := unstructured.NestedInt64(object, strings.Split(path, ".")...)
	if err != nil || replicas < 0 || replicas > math.MaxInt32 {
		return field.ErrorList{field.Invalid(field.NewPath(path), replicas, "no number of replicas")}
	}
	return nil
}
