package main

import (
	"context"
	"net/http"

	configapi "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainerruntime "github.com/kubeflow/trainer/v2/pkg/runtime/core"
	trainerwebhooks "github.com/kubeflow/trainer/v2/pkg/webhooks"
	trainingwebhooks "github.com/kubeflow/training-operator/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	jobsetwebhooks "sigs.k8s.io/jobset/pkg/webhooks"
	lwswebhooks "sigs.k8s.io/lws/pkg/webhooks"
	disaggregatedwebhooks "sigs.k8s.io/lws/pkg/webhooks/disaggregatedset"
)

// hooks are the webhooks of all operators, by path.
type hooks map[string]*admission.Webhook

// A stage is as much of a manager as it takes to register webhooks.
type stage struct {
	manager.Manager
	objects client.Client
	hooks   hooks
}

func (s *stage) GetScheme() *runtime.Scheme           { return scheme }
func (s *stage) GetClient() client.Client             { return s.objects }
func (s *stage) GetConfig() *rest.Config              { return &rest.Config{} }
func (s *stage) GetWebhookServer() webhook.Server     { return server{s.hooks} }
func (s *stage) GetFieldIndexer() client.FieldIndexer { return indexer{} }

type server struct{ hooks hooks }

func (s server) Register(path string, handler http.Handler) {
	if hook, ok := handler.(*admission.Webhook); ok {
		s.hooks[path] = hook
	}
}
func (s server) NeedLeaderElection() bool        { return false }
func (s server) Start(context.Context) error     { return nil }
func (s server) StartedChecker() healthz.Checker { return healthz.Ping }
func (s server) WebhookMux() *http.ServeMux      { return nil }

type indexer struct{}

func (indexer) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

// register lets all operators set up their webhooks in a cluster with these objects.
func register(objects client.Client) (hooks, error) {
	s := &stage{objects: objects, hooks: hooks{}}
	for _, setup := range trainingwebhooks.SupportedSchemeWebhook {
		if err := setup(s); err != nil {
			return nil, err
		}
	}
	runtimes, err := trainerruntime.New(context.Background(), objects, indexer{},
		&configapi.Configuration{})
	if err != nil {
		return nil, err
	}
	if _, err := trainerwebhooks.Setup(s, runtimes); err != nil {
		return nil, err
	}
	for _, setup := range []func(manager.Manager) error{
		jobsetwebhooks.Setup, lwswebhooks.SetupLeaderWorkerSetWebhook,
		disaggregatedwebhooks.SetupDisaggregatedSetWebhook,
	} {
		if err := setup(s); err != nil {
			return nil, err
		}
	}
	return s.hooks, nil
}
