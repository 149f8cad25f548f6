// Makes pods with the Training Operator's own code. Standard input has YAML documents, each a job;
// for each replica of each role, in the order of the roles' names, the answer is one line: the name
// of the pod and its spec as JSON, or `error: ...`.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/config"
	"github.com/kubeflow/training-operator/pkg/controller.v1/jax"
	paddle "github.com/kubeflow/training-operator/pkg/controller.v1/paddlepaddle"
	"github.com/kubeflow/training-operator/pkg/controller.v1/pytorch"
	"github.com/kubeflow/training-operator/pkg/controller.v1/tensorflow"
	"github.com/kubeflow/training-operator/pkg/controller.v1/xgboost"
	"github.com/kubeflow/training-operator/pkg/core"
)

type replicas = map[kubeflow.ReplicaType]*kubeflow.ReplicaSpec

type reconciler interface {
	SetClusterSpec(job interface{}, template *corev1.PodTemplateSpec, role, index string) error
}

type job struct {
	object   runtime.Object
	name     func() string
	replicas func() replicas
	maker    reconciler
}

func newJob(kind string) *job {
	switch kind {
	case "PyTorchJob":
		o := &kubeflow.PyTorchJob{}
		return &job{o, o.GetName, func() replicas { return o.Spec.PyTorchReplicaSpecs }, &pytorch.PyTorchJobReconciler{}}
	case "TFJob":
		o := &kubeflow.TFJob{}
		return &job{o, o.GetName, func() replicas { return o.Spec.TFReplicaSpecs }, &tensorflow.TFJobReconciler{}}
	case "XGBoostJob":
		o := &kubeflow.XGBoostJob{}
		return &job{o, o.GetName, func() replicas { return o.Spec.XGBReplicaSpecs }, &xgboost.XGBoostJobReconciler{}}
	case "PaddleJob":
		o := &kubeflow.PaddleJob{}
		return &job{o, o.GetName, func() replicas { return o.Spec.PaddleReplicaSpecs }, &paddle.PaddleJobReconciler{}}
	case "JAXJob":
		o := &kubeflow.JAXJob{}
		return &job{o, o.GetName, func() replicas { return o.Spec.JAXReplicaSpecs }, &jax.JAXJobReconciler{}}
	}
	return nil
}

func pods(scheme *runtime.Scheme, text []byte, say func(string)) error {
	var head struct{ Kind string }
	if err := yaml.Unmarshal(text, &head); err != nil {
		return err
	}
	if head.Kind == "MPIJob" {
		return mpiPods(scheme, text, say)
	}
	job := newJob(head.Kind)
	if job == nil {
		return fmt.Errorf("kind %q is not known", head.Kind)
	}
	if err := yaml.UnmarshalStrict(text, job.object); err != nil {
		return err
	}
	scheme.Default(job.object)
	specs := job.replicas()
	var roles []string
	for role := range specs {
		roles = append(roles, string(role))
	}
	sort.Strings(roles)
	for _, role := range roles {
		spec := specs[kubeflow.ReplicaType(role)]
		for i := 0; i < int(*spec.Replicas); i++ {
			template := spec.Template.DeepCopy()
			index := strconv.Itoa(i)
			name := core.GenGeneralName(job.name(), role, index)
			if err := job.maker.SetClusterSpec(job.object, template, strings.ToLower(role), index); err != nil {
				say("error: " + err.Error())
				continue
			}
			core.SetRestartPolicy(template, spec)
			made, err := json.Marshal(map[string]interface{}{"name": name, "spec": template.Spec})
			if err != nil {
				return err
			}
			say(string(made))
		}
	}
	return nil
}

func main() {
	config.Config.PyTorchInitContainerImage = config.PyTorchInitContainerImageDefault
	config.Config.MPIKubectlDeliveryImage = config.MPIKubectlDeliveryImageDefault
	config.Config.PyTorchInitContainerMaxTries = config.PyTorchInitContainerMaxTriesDefault
	scheme := runtime.NewScheme()
	if err := kubeflow.AddToScheme(scheme); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	for {
		text, err := reader.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := pods(scheme, text, func(line string) { fmt.Println(line) }); err != nil {
			fmt.Println("error: " + err.Error())
		}
	}
}
