package main

import (
	"reflect"
	_ "unsafe" // for linkname

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"github.com/kubeflow/mpi-operator/pkg/controller"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/yaml"
	"unsafe"
)

//go:linkname newWorker github.com/kubeflow/mpi-operator/pkg/controller.(*MPIJobController).newWorker
func newWorker(c *controller.MPIJobController, job *mpi.MPIJob, index int) *corev1.Pod

//go:linkname newLauncherJob github.com/kubeflow/mpi-operator/pkg/controller.(*MPIJobController).newLauncherJob
func newLauncherJob(c *controller.MPIJobController, job *mpi.MPIJob) *batchv1.Job

// podsOfMPIJob are the template of the launcher's Job, and the workers.
func podsOfMPIJob(text []byte) ([]any, error) {
	job := &mpi.MPIJob{}
	if err := yaml.UnmarshalStrict(text, job); err != nil {
		return nil, err
	}
	mpi.SetObjectDefaults_MPIJob(job)
	var operator controller.MPIJobController
	// It tells of restart policies that it overrides.
	recorder := reflect.ValueOf(&operator).Elem().FieldByName("recorder")
	*(*record.EventRecorder)(unsafe.Pointer(recorder.UnsafeAddr())) = &record.FakeRecorder{}
	made := []any{newLauncherJob(&operator, job).Spec.Template}
	workers := job.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker]
	for i := 0; workers != nil && i < int(*workers.Replicas); i++ {
		made = append(made, newWorker(&operator, job, i))
	}
	return made, nil
}
