package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

const (
	argoManager = "argocd-controller"
	// An operation that waits for the health of an object goes on until it is seen so often to wait.
	argoWaits = 3
)

// argocd has the schemas of the server.
type argocd struct {
	parser *managedfields.GvkParser
}

// scopes says what is namespaced.
type scopes struct{ mapper meta.RESTMapper }

func (s scopes) IsNamespaced(kind schema.GroupKind) (bool, error) {
	found, err := s.mapper.RESTMapping(kind)
	if err != nil {
		return false, err
	}
	return found.Scope.Name() == meta.RESTScopeNameNamespace, nil
}

func tool() *kube.KubectlCmd {
	return &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
}

// schemas reads them anew where an object is of a kind that they do not have.
func (a *argocd) schemas(s *server, objects []*unstructured.Unstructured) error {
	known := a.parser != nil
	for _, each := range objects {
		known = known && a.parser.Type(each.GroupVersionKind()) != nil
	}
	if known {
		return nil
	}
	_, parser, err := tool().LoadOpenAPISchema(s.config)
	a.parser = parser
	return err
}

// sync compares and applies until the operation ends or waits, as argoproj/argo-cd controller/sync.go does for an Application with
// automated pruning.
func (a *argocd) sync(ctx context.Context, s *server, asked question) answer {
	objects := asked.objects()
	for _, each := range objects {
		annotations := each.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations["argocd.argoproj.io/tracking-id"] = asked.Unit + ":" + id(each)
		each.SetAnnotations(annotations)
	}
	if err := a.schemas(s, objects); err != nil {
		return answer{Error: err.Error()}
	}
	gone := s.gone(asked.Unit, objects)
	phase, message, started := common.OperationPhase(""), "", metav1.Now()
	var outOfSync []result
	var results []common.ResourceSyncResult
	for waited := 0; waited < argoWaits && !phase.Completed(); waited++ {
		there, differences, err := a.compare(ctx, s, asked, append(append([]*unstructured.Unstructured{}, objects...), gone...), objects)
		if err != nil {
			return answer{Error: err.Error()}
		}
		if phase == "" && !differences.Modified && len(there.Hooks) == 0 && !slices.Contains(there.Target, nil) {
			break // the Application is in sync
		}
		if phase == "" {
			outOfSync = differing(differences)
		}
		was := len(results)
		phase, message, results, err = a.step(s, asked, there, differences, phase, message, results, started)
		if err != nil {
			return answer{Error: err.Error()}
		}
		if len(results) > was {
			waited = 0
		}
		time.Sleep(20 * time.Millisecond)
	}
	// What could not be pruned is still to be.
	s.units[asked.Unit] = append(objects, s.gone(asked.Unit, objects)...)
	return argoAnswer(phase, message, results, outOfSync)
}

// compare returns the objects beside what the server has of them, and whether they differ.
func (a *argocd) compare(ctx context.Context, s *server, asked question, all, objects []*unstructured.Unstructured) (
	sync.ReconciliationResult, *diff.DiffResultList, error) {
	live := map[kube.ResourceKey]*unstructured.Unstructured{}
	for _, each := range all {
		found, err := s.live(ctx, each)
		if err != nil {
			return sync.ReconciliationResult{}, nil, err
		}
		if found != nil {
			live[kube.GetResourceKey(found)] = found
		}
	}
	there := sync.Reconcile(objects, live, "default", scopes{s.mapper})
	differences, err := diff.DiffArray(there.Target, there.Live, diff.WithManager(argoManager), diff.WithGVKParser(a.parser),
		diff.WithStructuredMergeDiff(!asked.Client), diff.WithNormalizer(ignored(asked.Ignored)), diff.WithLogr(logr.Discard()))
	return there, differences, err
}

func (a *argocd) step(s *server, asked question, there sync.ReconciliationResult, differences *diff.DiffResultList,
	phase common.OperationPhase, message string, results []common.ResourceSyncResult, started metav1.Time) (
	common.OperationPhase, string, []common.ResourceSyncResult, error) {
	// Argo CD's default is in the foreground, for which there is no collector of garbage here.
	propagation := metav1.DeletePropagationBackground
	options := []sync.SyncOpt{
		sync.WithLogr(logr.Discard()),
		sync.WithOperationSettings(false, !asked.Keep, asked.Force, false),
		sync.WithResourceModificationChecker(!asked.All, differences),
		sync.WithPrunePropagationPolicy(&propagation),
		sync.WithServerSideApply(!asked.Client),
		sync.WithServerSideApplyManager(argoManager),
	}
	if phase != "" {
		options = append(options, sync.WithInitialState(phase, message, results, started))
	}
	operation, end, err := sync.NewSyncContext("revision", there, s.config, s.config, tool(), "default", options...)
	if err != nil {
		return phase, message, results, err
	}
	defer end()
	operation.Sync()
	phase, message, results = operation.GetState()
	return phase, message, results, nil
}

func argoAnswer(phase common.OperationPhase, message string, results []common.ResourceSyncResult, outOfSync []result) answer {
	told := answer{Phase: "Succeeded", Results: outOfSync}
	if phase != "" {
		told.Phase = string(phase)
	}
	if phase != "" && phase != common.OperationSucceeded {
		told.Error = message
	}
	for _, each := range results {
		told.Results = append(told.Results,
			result{each.ResourceKey.Kind, each.ResourceKey.Namespace, each.ResourceKey.Name, string(each.Status), each.Message})
	}
	return told
}

// ignored takes fields out of what is compared, as ignoreDifferences does.
type ignored []field

func (fields ignored) Normalize(object *unstructured.Unstructured) error {
	for _, each := range fields {
		isNamed := each.Name == "" || each.Name == object.GetName()
		if isNamed && object.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: each.Group, Kind: each.Kind}) {
			without(object.Object, strings.Split(each.Path, "."))
		}
	}
	return nil
}

// without takes a field out of a value. A name that ends in `[]` is of a list, and all of its items are meant.
func without(value any, path []string) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	if len(path) == 1 {
		delete(object, path[0])
		return
	}
	name, isList := strings.CutSuffix(path[0], "[]")
	if !isList {
		without(object[name], path[1:])
		return
	}
	items, _ := object[name].([]any)
	for _, each := range items {
		without(each, path[1:])
	}
}

// differing returns the objects that are there and not as they shall be, with the first field of each that is not.
func differing(differences *diff.DiffResultList) []result {
	var found []result
	for _, each := range differences.Diffs {
		var live, wanted map[string]any
		if !each.Modified || json.Unmarshal(each.NormalizedLive, &live) != nil || json.Unmarshal(each.PredictedLive, &wanted) != nil ||
			live == nil || wanted == nil {
			continue
		}
		object := unstructured.Unstructured{Object: live}
		found = append(found, result{object.GetKind(), object.GetNamespace(), object.GetName(), "OutOfSync", difference("", live, wanted)})
	}
	return found
}

// difference returns the path of the first field that differs, "" where none does.
func difference(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return path
		}
		keys := map[string]any{}
		maps.Copy(keys, a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if found := difference(path+"."+key, a[key], b[key]); found != "" {
				return found
			}
		}
		return ""
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path
		}
		for index := range a {
			if found := difference(fmt.Sprintf("%s[%d]", path, index), a[index], b[index]); found != "" {
				return found
			}
		}
		return ""
	}
	if a != b {
		return path
	}
	return ""
}
