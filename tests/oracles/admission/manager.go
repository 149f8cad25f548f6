package admission

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// hooks are webhooks by path.
type hooks map[string]*admission.Webhook

// A stage is as much of a manager as it takes to register webhooks.
type stage struct {
	manager.Manager
	objects client.Client
	hooks   hooks
}

func (s *stage) GetScheme() *runtime.Scheme           { return s.objects.Scheme() }
func (s *stage) GetClient() client.Client             { return s.objects }
func (s *stage) GetConfig() *rest.Config              { return &rest.Config{} }
func (s *stage) GetWebhookServer() webhook.Server     { return server{s.hooks} }
func (s *stage) GetFieldIndexer() client.FieldIndexer { return Indexer{} }

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

// An Indexer needs no index.
type Indexer struct{}

func (Indexer) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}
