// Folds TrainJobs into their runtimes with the Trainer's own code. Standard input has YAML documents
// in pairs, a TrainJob and the runtime it refers to; each pair is answered by one line, the JobSet
// as JSON or `error: ...`.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	testingutil "github.com/kubeflow/trainer/v2/pkg/util/testing"
)

func documents(in io.Reader) ([][]byte, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(in))
	var found [][]byte
	for {
		document, err := reader.Read()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(document)) != 0 {
			found = append(found, document)
		}
	}
}

// What the API server fills in from the CRDs.
func setDefaults(policy *trainer.MLPolicy) {
	set := func(field **int32, value int32) {
		if *field == nil {
			*field = &value
		}
	}
	if policy != nil && policy.Flux != nil {
		set(&policy.Flux.NumProcPerNode, 1)
	}
	if policy == nil || policy.MPI == nil {
		return
	}
	set(&policy.MPI.NumProcPerNode, 1)
	if policy.MPI.MPIImplementation == nil {
		openMPI := trainer.MPIImplementationOpenMPI
		policy.MPI.MPIImplementation = &openMPI
	}
	if policy.MPI.SSHAuthMountPath == nil {
		path := "/root/.ssh"
		policy.MPI.SSHAuthMountPath = &path
	}
}

func fold(jobText, runtimeText []byte) (made string, err error) {
	defer func() { // the controller gets over it, and makes nothing
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	ctx := context.Background()
	job := &trainer.TrainJob{}
	if err := yaml.UnmarshalStrict(jobText, job); err != nil {
		return "", err
	}
	clusterRuntime := &trainer.ClusterTrainingRuntime{}
	if err := yaml.UnmarshalStrict(runtimeText, clusterRuntime); err != nil {
		return "", err
	}
	setDefaults(clusterRuntime.Spec.MLPolicy)
	// The kind makes no difference to what is made.
	trainingRuntime := &trainer.TrainingRuntime{Spec: clusterRuntime.Spec}
	trainingRuntime.Name = clusterRuntime.Name
	trainingRuntime.Namespace = job.Namespace

	builder := testingutil.NewClientBuilder().WithObjects(trainingRuntime, job.DeepCopy())
	framework, err := core.NewTrainingRuntime(ctx, builder.Build(), testingutil.AsIndex(builder), nil)
	if err != nil {
		return "", err
	}
	objects, err := framework.NewObjects(ctx, job)
	if err != nil {
		return "", err
	}
	for _, each := range objects {
		text, err := json.Marshal(each)
		if err != nil {
			return "", err
		}
		var kind struct{ Kind string }
		if json.Unmarshal(text, &kind) == nil && kind.Kind == "JobSet" {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("no JobSet is made")
}

func main() {
	all, err := documents(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i := 0; i+1 < len(all); i += 2 {
		made, err := fold(all[i], all[i+1])
		if err != nil {
			made = "error: " + err.Error()
		}
		fmt.Println(made)
	}
}
