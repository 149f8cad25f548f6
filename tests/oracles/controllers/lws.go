package main

import (
	"context"
	"encoding/json"
	"fmt"
	_ "unsafe" // for linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appsapplyv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	leaderworkerset "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/utils/revision"
	"sigs.k8s.io/lws/pkg/webhooks"
	"sigs.k8s.io/yaml"

	_ "sigs.k8s.io/lws/pkg/controllers"
)

//go:linkname leaderSet sigs.k8s.io/lws/pkg/controllers.constructLeaderStatefulSetApplyConfiguration
func leaderSet(set *leaderworkerset.LeaderWorkerSet, partition, replicas int32,
	revisionKey string) (*appsapplyv1.StatefulSetApplyConfiguration, error)

//go:linkname workerSet sigs.k8s.io/lws/pkg/controllers.constructWorkerStatefulSetApplyConfiguration
func workerSet(leader corev1.Pod, set leaderworkerset.LeaderWorkerSet,
	revision *appsv1.ControllerRevision) (*appsapplyv1.StatefulSetApplyConfiguration, error)

// podOf is what the controller of a StatefulSet makes at an index, once the webhook has seen it.
func podOf(set *appsapplyv1.StatefulSetApplyConfiguration, index int) (*corev1.Pod, error) {
	text, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	var typed appsv1.StatefulSet
	if err := json.Unmarshal(text, &typed); err != nil {
		return nil, err
	}
	pod := &corev1.Pod{ObjectMeta: typed.Spec.Template.ObjectMeta, Spec: typed.Spec.Template.Spec}
	pod.Name = fmt.Sprintf("%s-%d", typed.Name, index)
	pod.Namespace = typed.Namespace
	pod.Spec.Hostname = pod.Name
	pod.Spec.Subdomain = typed.Spec.ServiceName
	return pod, webhooks.NewPodWebhook(nil).Default(context.Background(), pod)
}

// podsOfLeaderWorkerSet are the pods of the groups, each leader in front of its workers.
func podsOfLeaderWorkerSet(text []byte) ([]any, error) {
	set := &leaderworkerset.LeaderWorkerSet{}
	if err := yaml.UnmarshalStrict(text, set); err != nil {
		return nil, err
	}
	one := int32(1)
	if set.Spec.Replicas == nil { // the CRD's defaults
		set.Spec.Replicas = &one
	}
	if set.Spec.LeaderWorkerTemplate.Size == nil {
		set.Spec.LeaderWorkerTemplate.Size = &one
	}
	if policy := set.Spec.LeaderWorkerTemplate.SubGroupPolicy; policy != nil && policy.Type == nil {
		kind := leaderworkerset.SubGroupPolicyTypeLeaderWorker
		policy.Type = &kind
	}
	if err := (&webhooks.LeaderWorkerSetWebhook{}).Default(context.Background(), set); err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	client := fake.NewClientBuilder().WithScheme(scheme).Build()
	current, err := revision.NewRevision(context.Background(), client, set, "revision")
	if err != nil {
		return nil, err
	}
	leaders, err := leaderSet(set, 0, *set.Spec.Replicas, "revision")
	if err != nil {
		return nil, err
	}
	var made []any
	for group := 0; group < int(*set.Spec.Replicas); group++ {
		leader, err := podOf(leaders, group)
		if err != nil {
			return nil, err
		}
		made = append(made, leader)
		if *set.Spec.LeaderWorkerTemplate.Size == 1 {
			continue
		}
		workers, err := workerSet(*leader, *set, current)
		if err != nil {
			return nil, err
		}
		for i := 1; i < int(*set.Spec.LeaderWorkerTemplate.Size); i++ {
			worker, err := podOf(workers, i)
			if err != nil {
				return nil, err
			}
			made = append(made, worker)
		}
	}
	return made, nil
}
