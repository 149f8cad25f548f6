package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	mpivalidation "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	training "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	disaggregatedset "sigs.k8s.io/lws/api/disaggregatedset/v1"
	leaderworkerset "sigs.k8s.io/lws/api/leaderworkerset/v1"
)

var scheme = func() *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, training.AddToScheme, mpi.AddToScheme, trainer.AddToScheme,
		jobset.AddToScheme, leaderworkerset.AddToScheme, disaggregatedset.AddToScheme,
	} {
		utilruntime.Must(add(all))
	}
	return all
}()

// verdict is what is wrong with the object; "" when it is accepted.
func verdict(asked testCase) (string, error) {
	kind := fmt.Sprint(asked.Object["apiVersion"], " ", asked.Object["kind"])
	switch kind {
	case "kubeflow.org/v2beta1 MPIJob":
		var job mpi.MPIJob
		if err := decode(asked.Object, &job); err != nil {
			return err.Error(), nil
		}
		mpi.SetObjectDefaults_MPIJob(&job)
		if errors := mpivalidation.ValidateMPIJob(&job); len(errors) != 0 {
			return errors.ToAggregate().Error(), nil
		}
		return "", nil
	case "kubeflow.org/v1 MPIJob":
		var job training.MPIJob
		if err := decode(asked.Object, &job); err != nil {
			return err.Error(), nil
		}
		if err := training.ValidateV1MpiJobSpec(&job.Spec); err != nil {
			return err.Error(), nil
		}
		return "", nil
	}
	if fault := rayVerdicts[kind]; fault != nil {
		if err := fault(asked.Object); err != nil {
			return err.Error(), nil
		}
		return "", nil
	}
	return askWebhooks(asked)
}

func decode(object map[string]any, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func askWebhooks(asked testCase) (string, error) {
	objects := fake.NewClientBuilder().WithScheme(scheme)
	for _, object := range asked.With {
		objects = objects.WithObjects(&unstructured.Unstructured{Object: object})
	}
	hooks, err := register(objects.Build())
	if err != nil {
		return "", err
	}
	path := strings.ToLower(strings.NewReplacer(".", "-", "/", "-", " ", "-").Replace(
		fmt.Sprint(asked.Object["apiVersion"], " ", asked.Object["kind"])))
	validate := hooks["/validate-"+path]
	if validate == nil {
		return "", fmt.Errorf("no webhook validates %s", path)
	}
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID: "1", Operation: admissionv1.Create,
	}}
	if asked.Old != nil {
		// It is in the cluster as the webhook left it.
		old, complaint, err := mutated(hooks["/mutate-"+path], request, asked.Old)
		if err != nil || complaint != "" {
			return complaint, err
		}
		request.Operation = admissionv1.Update
		request.OldObject.Raw = old
	}
	object, complaint, err := mutated(hooks["/mutate-"+path], request, asked.Object)
	if err != nil || complaint != "" {
		return complaint, err
	}
	request.Object.Raw = object
	if response := validate.Handle(context.Background(), request); !response.Allowed {
		return message(response), nil
	}
	return "", nil
}

// mutated is the object once a webhook has filled in its defaults, or what that has against it.
func mutated(hook *admission.Webhook, request admission.Request, object map[string]any) (
	[]byte, string, error) {
	text, err := json.Marshal(object)
	if err != nil || hook == nil {
		return text, "", err
	}
	request.Object.Raw = text
	response := hook.Handle(context.Background(), request)
	if !response.Allowed {
		return nil, message(response), nil
	}
	text, err = patched(text, response)
	return text, "", err
}

func patched(object []byte, response admission.Response) ([]byte, error) {
	if len(response.Patch) == 0 {
		return object, nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return nil, err
	}
	return patch.Apply(object)
}

func message(response admission.Response) string {
	if response.Result == nil || response.Result.Message == "" {
		return "no reason given"
	}
	return response.Result.Message
}
