// Command gitops syncs objects to an API server as Argo CD and Flux do: with their engines, and with the settings of their
// controllers. KUBECONFIG names the server.
//
// Each line of its input is one sync, {"tool": "argocd" or "flux", "unit": name, "objects": [...]}; each line of its output says what
// came of it. A unit remembers what it has synced, and prunes what the next sync of it does not have.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type question struct {
	Tool    string           `json:"tool"`
	Unit    string           `json:"unit"`
	Objects []map[string]any `json:"objects"`
	Force   bool             `json:"force"`   // all objects, as `spec.force` of a Kustomization has it
	Keep    bool             `json:"keep"`    // nothing is pruned
	Client  bool             `json:"client"`  // Argo CD applies on the client's side
	All     bool             `json:"all"`     // and what is as it shall be, too
	Ignored []field          `json:"ignored"` // no difference; to Flux only with the name of an object
	Seconds int              `json:"seconds"` // how long it may take
}

// field is one of an object, or of all objects of a kind: `spec.workers[].priority`.
type field struct {
	Name  string `json:"name"` // "" for all
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Path  string `json:"path"`
}

func (q question) objects() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, each := range q.Objects {
		all = append(all, &unstructured.Unstructured{Object: each})
	}
	return all
}

// result is what the engine says of one object.
type result struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Said      string `json:"said"`
	Message   string `json:"message"`
}

type answer struct {
	Phase   string   `json:"phase"`
	Error   string   `json:"error"`
	Results []result `json:"results"` // where the tool finds a difference or a fault
}

// server is what both engines ask.
type server struct {
	config *rest.Config
	mapper *restmapper.DeferredDiscoveryRESTMapper
	client client.Client
	units  map[string][]*unstructured.Unstructured // what each unit has synced
}

func connect() (*server, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = -1, -1
	config.WarningHandler = rest.NoWarnings{}
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	asked, err := client.New(config, client.Options{Mapper: mapper})
	if err != nil {
		return nil, err
	}
	return &server{config, mapper, asked, map[string][]*unstructured.Unstructured{}}, nil
}

// live returns the object as it is, and nil where it is not.
func (s *server) live(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(object.GroupVersionKind())
	err := s.client.Get(ctx, client.ObjectKeyFromObject(object), found)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return found, nil
}

func id(object *unstructured.Unstructured) string {
	return object.GroupVersionKind().GroupKind().String() + "/" + object.GetNamespace() + "/" + object.GetName()
}

// gone returns what an earlier sync of the unit had and this one does not.
func (s *server) gone(unit string, objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	asked := map[string]bool{}
	for _, each := range objects {
		asked[id(each)] = true
	}
	var gone []*unstructured.Unstructured
	for _, each := range s.units[unit] {
		if !asked[id(each)] {
			gone = append(gone, each)
		}
	}
	return gone
}

func answerTo(s *server, argo *argocd, line []byte) answer {
	var asked question
	// As in controllers, integers stay integers.
	if err := utiljson.Unmarshal(line, &asked); err != nil {
		return answer{Error: "no question: " + err.Error()}
	}
	// Flux waits for what it deletes, and nothing here takes the finalizer of a claim away.
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(asked.Seconds)*time.Second)
	defer cancel()
	switch asked.Tool {
	case "argocd":
		return argo.sync(ctx, s, asked)
	case "flux":
		return flux(ctx, s, asked)
	}
	return answer{Error: "no tool: " + asked.Tool}
}

func main() {
	server, err := connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gitops:", err)
		os.Exit(1)
	}
	argo := &argocd{}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		if err := out.Encode(answerTo(server, argo, in.Bytes())); err != nil {
			os.Exit(1)
		}
	}
}
