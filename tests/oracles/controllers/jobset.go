package main

import (
	"context"
	_ "unsafe" // for linkname

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/yaml"
	"unsafe"

	_ "sigs.k8s.io/jobset/pkg/controllers"
	_ "sigs.k8s.io/jobset/pkg/webhooks"
)

//go:linkname constructJob sigs.k8s.io/jobset/pkg/controllers.constructJob
func constructJob(set *jobset.JobSet, replicated *jobset.ReplicatedJob, index int) *batchv1.Job

//go:linkname setDefaults sigs.k8s.io/jobset/pkg/webhooks.(*jobSetWebhook).Default
func setDefaults(webhook unsafe.Pointer, ctx context.Context, set *jobset.JobSet) error

//go:linkname patchPod sigs.k8s.io/jobset/pkg/webhooks.(*podWebhook).Default
func patchPod(webhook unsafe.Pointer, ctx context.Context, pod *corev1.Pod) error

// madeJob is a Job, and what the webhook of pods then does to the first pod.
type madeJob struct {
	Job      *batchv1.Job      `json:"job"`
	Labels   map[string]string `json:"labels,omitempty"`
	Affinity *corev1.Affinity  `json:"affinity,omitempty"`
}

func jobsOfJobSet(text []byte) ([]any, error) {
	set := &jobset.JobSet{}
	if err := yaml.UnmarshalStrict(text, set); err != nil {
		return nil, err
	}
	for i := range set.Spec.ReplicatedJobs { // the CRD's defaults
		replicated := &set.Spec.ReplicatedJobs[i]
		if replicated.GroupName == "" {
			replicated.GroupName = "default"
		}
		if replicated.Replicas == 0 {
			replicated.Replicas = 1
		}
	}
	set.UID = "<uid>"
	nothing := make([]byte, 64) // neither looks into the cluster here
	webhook := unsafe.Pointer(&nothing[0])
	if err := setDefaults(webhook, context.Background(), set); err != nil {
		return nil, err
	}
	var made []any
	for i := range set.Spec.ReplicatedJobs {
		replicated := &set.Spec.ReplicatedJobs[i]
		for index := 0; index < int(replicated.Replicas); index++ {
			job := constructJob(set, replicated, index)
			pod := &corev1.Pod{
				ObjectMeta: *job.Spec.Template.ObjectMeta.DeepCopy(),
				Spec:       *job.Spec.Template.Spec.DeepCopy(),
			}
			if *job.Spec.CompletionMode == batchv1.IndexedCompletion {
				pod.Annotations[batchv1.JobCompletionIndexAnnotation] = "0"
			}
			priority := int32(0) // which the API server fills in first
			pod.Spec.Priority = &priority
			if err := patchPod(webhook, context.Background(), pod); err != nil {
				return nil, err
			}
			job.Spec.Suspend = nil // that of the set, for as long as it is
			made = append(made, madeJob{job, pod.Labels, pod.Spec.Affinity})
		}
	}
	return made, nil
}
