// Command oracle says what the training operators' own webhooks and checks make of objects. The
// tests compare its answers with ours. Package admission says what it reads and writes.
package main

import (
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	mpivalidation "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	training "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"trainyard.dev/oracle/admission"
)

func main() { admission.Answer(verdict) }

func verdict(asked admission.Case) (string, error) {
	fault := functions[asked.Kind()]
	if fault == nil {
		return operators.Ask(asked)
	}
	if err := fault(asked.Object); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

// functions say what operators without a webhook have against the objects of their kinds.
var functions = map[string]func(map[string]any) error{
	"ray.io/v1 RayCluster": rayCluster,
	"ray.io/v1 RayJob":     rayJob,
	"ray.io/v1 RayService": rayService,
	"ray.io/v1 RayCronJob": rayCronJob,
	"kubeflow.org/v2beta1 MPIJob": func(object map[string]any) error {
		var job mpi.MPIJob
		if err := admission.Decode(object, &job); err != nil {
			return err
		}
		mpi.SetObjectDefaults_MPIJob(&job)
		return mpivalidation.ValidateMPIJob(&job).ToAggregate()
	},
	"kubeflow.org/v1 MPIJob": func(object map[string]any) error {
		var job training.MPIJob
		if err := admission.Decode(object, &job); err != nil {
			return err
		}
		return training.ValidateV1MpiJobSpec(&job.Spec)
	},
}
