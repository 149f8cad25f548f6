package main

import (
	"context"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/jsondiff"
	"github.com/fluxcd/pkg/ssa/normalize"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const fluxGroup = "kustomize.toolkit.fluxcd.io"

// flux syncs as fluxcd/kustomize-controller internal/controller/kustomization_controller.go does.
func flux(ctx context.Context, s *server, asked question) answer {
	owner := ssa.Owner{Field: "kustomize-controller", Group: fluxGroup}
	manager := ssa.NewResourceManager(s.client, polling.NewStatusPoller(s.client, s.mapper, polling.Options{}), owner)
	objects := asked.objects()
	manager.SetOwnerLabels(objects, asked.Unit, "flux-system")
	if err := normalize.UnstructuredList(objects); err != nil {
		return answer{Phase: "Failed", Error: err.Error()}
	}
	gone := s.gone(asked.Unit, objects)
	told := answer{Phase: "Succeeded"}
	options := fluxOptions(asked.Force)
	options.DriftIgnoreRules = ignoreRules(asked.Ignored)
	changes, err := manager.ApplyAllStaged(ctx, objects, options)
	told.add(changes)
	if err != nil {
		return answer{Phase: "Failed", Error: err.Error(), Results: told.Results}
	}
	s.units[asked.Unit] = objects
	if asked.Keep {
		return told
	}
	changes, err = manager.DeleteAll(ctx, gone, ssa.DeleteOptions{
		PropagationPolicy: metav1.DeletePropagationBackground,
		Inclusions:        manager.GetOwnerLabels(asked.Unit, "flux-system"),
		Exclusions: map[string]string{
			fluxGroup + "/prune": "Disabled", fluxGroup + "/reconcile": "Disabled", fluxGroup + "/ssa": "Ignore",
		},
	})
	told.add(changes)
	if err != nil {
		told.Phase, told.Error = "Failed", err.Error()
	}
	return told
}

// ignoreRules are those of `spec.ignore` of a Kustomization.
func ignoreRules(fields []field) []jsondiff.IgnoreRule {
	var rules []jsondiff.IgnoreRule
	for _, each := range fields {
		if each.Name != "" {
			selector := &jsondiff.Selector{Group: each.Group, Kind: each.Kind, Name: each.Name}
			rules = append(rules, jsondiff.IgnoreRule{Paths: []string{"/" + strings.ReplaceAll(each.Path, ".", "/")}, Selector: selector})
		}
	}
	return rules
}

func fluxOptions(force bool) ssa.ApplyOptions {
	options := ssa.DefaultApplyOptions()
	options.Force = force
	options.ForceSelector = map[string]string{fluxGroup + "/force": "Enabled"}
	options.IfNotPresentSelector = map[string]string{fluxGroup + "/ssa": "IfNotPresent"}
	options.ExclusionSelector = map[string]string{fluxGroup + "/reconcile": "Disabled", fluxGroup + "/ssa": "Ignore"}
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{"kubectl.kubernetes.io/last-applied-configuration"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "kustomize-controller", OperationType: metav1.ManagedFieldsOperationUpdate},
		},
		Exclusions: map[string]string{fluxGroup + "/ssa": "Merge"},
	}
	return options
}

func (a *answer) add(changes *ssa.ChangeSet) {
	if changes == nil {
		return
	}
	for _, each := range changes.Entries {
		if each.Action == ssa.UnchangedAction || each.Action == ssa.SkippedAction {
			continue
		}
		at := each.ObjMetadata
		a.Results = append(a.Results, result{at.GroupKind.Kind, at.Namespace, at.Name, string(each.Action), ""})
	}
}
