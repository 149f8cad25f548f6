package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	_ "unsafe" // for linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/yaml"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/config"
	"github.com/kubeflow/training-operator/pkg/controller.v1/mpi"
)

//go:linkname newWorker github.com/kubeflow/training-operator/pkg/controller.v1/mpi.(*MPIJobReconciler).newWorker
func newWorker(operator *mpi.MPIJobReconciler, job *kubeflow.MPIJob, name string) *corev1.Pod

//go:linkname newLauncher github.com/kubeflow/training-operator/pkg/controller.v1/mpi.(*MPIJobReconciler).newLauncher
func newLauncher(operator *mpi.MPIJobReconciler, job *kubeflow.MPIJob, image string, hasGPUs bool) *corev1.Pod

//go:linkname isGPULauncher github.com/kubeflow/training-operator/pkg/controller.v1/mpi.isGPULauncher
func isGPULauncher(job *kubeflow.MPIJob) bool

// mpiPods are made in another way than those of the other kinds: the launcher, then the workers.
func mpiPods(scheme *runtime.Scheme, text []byte, say func(string)) error {
	job := &kubeflow.MPIJob{}
	if err := yaml.UnmarshalStrict(text, job); err != nil {
		return err
	}
	scheme.Default(job)
	operator := &mpi.MPIJobReconciler{}
	operator.Controller = operator
	operator.Recorder = &record.FakeRecorder{}
	made := []*corev1.Pod{
		newLauncher(operator, job, config.Config.MPIKubectlDeliveryImage, isGPULauncher(job)),
	}
	workers := job.Spec.MPIReplicaSpecs[kubeflow.MPIJobReplicaTypeWorker]
	for i := 0; workers != nil && i < int(*workers.Replicas); i++ {
		worker := newWorker(operator, job, fmt.Sprintf("%s-worker-%d", job.Name, i))
		worker.Labels[kubeflow.ReplicaIndexLabel] = strconv.Itoa(i)
		made = append(made, worker)
	}
	for _, pod := range made {
		line, err := json.Marshal(map[string]interface{}{"name": pod.Name, "spec": pod.Spec})
		if err != nil {
			return err
		}
		say(string(line))
	}
	return nil
}
