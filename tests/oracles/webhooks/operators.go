package main

import (
	"context"

	configapi "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	trainerruntime "github.com/kubeflow/trainer/v2/pkg/runtime/core"
	trainerwebhooks "github.com/kubeflow/trainer/v2/pkg/webhooks"
	training "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	trainingwebhooks "github.com/kubeflow/training-operator/pkg/webhooks"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	jobsetwebhooks "sigs.k8s.io/jobset/pkg/webhooks"
	disaggregatedset "sigs.k8s.io/lws/api/disaggregatedset/v1"
	leaderworkerset "sigs.k8s.io/lws/api/leaderworkerset/v1"
	lwswebhooks "sigs.k8s.io/lws/pkg/webhooks"
	disaggregatedwebhooks "sigs.k8s.io/lws/pkg/webhooks/disaggregatedset"
	"trainyard.dev/oracle/admission"
)

// operators are those that have webhooks.
var operators = admission.Operator{
	Scheme: admission.Scheme(clientgoscheme.AddToScheme, training.AddToScheme, trainer.AddToScheme,
		jobset.AddToScheme, leaderworkerset.AddToScheme, disaggregatedset.AddToScheme),
	Setup: register,
}

func register(m manager.Manager) error {
	for _, setup := range trainingwebhooks.SupportedSchemeWebhook {
		if err := setup(m); err != nil {
			return err
		}
	}
	runtimes, err := trainerruntime.New(context.Background(), m.GetClient(), admission.Indexer{},
		&configapi.Configuration{})
	if err != nil {
		return err
	}
	if _, err := trainerwebhooks.Setup(m, runtimes); err != nil {
		return err
	}
	for _, setup := range []func(manager.Manager) error{
		jobsetwebhooks.Setup, lwswebhooks.SetupLeaderWorkerSetWebhook,
		disaggregatedwebhooks.SetupDisaggregatedSetWebhook,
	} {
		if err := setup(m); err != nil {
			return err
		}
	}
	return nil
}
