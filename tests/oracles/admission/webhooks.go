package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// An Operator has webhooks.
type Operator struct {
	Scheme *runtime.Scheme
	// Setup registers them.
	Setup func(manager.Manager) error
	// MutatesUpdates tells of a kind whether defaults are filled in again when an object changes.
	// What is there before is then as the case has it; else it gets the defaults of a new object.
	MutatesUpdates func(kind string) bool
}

// Scheme has the types that the functions add.
func Scheme(adders ...func(*runtime.Scheme) error) *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range adders {
		utilruntime.Must(add(all))
	}
	return all
}

func (operator Operator) register(objects []map[string]any) (hooks, error) {
	cluster := fake.NewClientBuilder().WithScheme(operator.Scheme)
	for _, object := range objects {
		cluster = cluster.WithObjects(&unstructured.Unstructured{Object: object})
	}
	s := &stage{objects: cluster.Build(), hooks: hooks{}}
	return s.hooks, operator.Setup(s)
}

// Ask puts a case to the webhooks, in a cluster with its objects.
func (operator Operator) Ask(asked Case) (string, error) {
	hooks, err := operator.register(asked.With)
	if err != nil {
		return "", err
	}
	path := strings.ToLower(strings.NewReplacer(".", "-", "/", "-", " ", "-").Replace(fullKind(asked)))
	mutate, validate := hooks["/mutate-"+path], hooks["/validate-"+path]
	if validate == nil {
		return "", fmt.Errorf("no webhook validates %s", path)
	}
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID: "1", Operation: admissionv1.Create,
	}}
	if asked.Old != nil {
		old, complaint, err := operator.before(mutate, request, asked)
		if err != nil || complaint != "" {
			return complaint, err
		}
		request.Operation = admissionv1.Update
		request.OldObject.Raw = old
		if operator.MutatesUpdates != nil && !operator.MutatesUpdates(asked.Kind()) {
			mutate = nil
		}
	}
	object, complaint, err := mutated(mutate, request, asked.Object)
	if err != nil || complaint != "" {
		return complaint, err
	}
	request.Object.Raw = object
	if response := validate.Handle(context.Background(), request); !response.Allowed {
		return message(response), nil
	}
	return "", nil
}

// fullKind has the empty group of Pods as well.
func fullKind(asked Case) string {
	if version := fmt.Sprint(asked.Object["apiVersion"]); !strings.Contains(version, "/") {
		return "/" + asked.Kind()
	}
	return asked.Kind()
}

// before is what an object replaces.
func (operator Operator) before(mutate *admission.Webhook, request admission.Request, asked Case) (
	[]byte, string, error) {
	if operator.MutatesUpdates != nil {
		mutate = nil
	}
	return mutated(mutate, request, asked.Old)
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
