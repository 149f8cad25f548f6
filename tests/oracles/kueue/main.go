// Command oracle says what Kueue's own webhooks make of its objects and of jobs that it queues. The
// tests compare its answers with ours. Package admission says what it reads and writes.
package main

import (
	"context"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	trainerruntime "github.com/kubeflow/trainer/v2/pkg/runtime/core"
	training "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	queues "sigs.k8s.io/kueue/pkg/cache/queue"
	scheduler "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/controller/jobs/deployment"
	"sigs.k8s.io/kueue/pkg/controller/jobs/job"
	kueuejobset "sigs.k8s.io/kueue/pkg/controller/jobs/jobset"
	"sigs.k8s.io/kueue/pkg/controller/jobs/kubeflow/jobs/jaxjob"
	"sigs.k8s.io/kueue/pkg/controller/jobs/kubeflow/jobs/paddlejob"
	"sigs.k8s.io/kueue/pkg/controller/jobs/kubeflow/jobs/pytorchjob"
	"sigs.k8s.io/kueue/pkg/controller/jobs/kubeflow/jobs/tfjob"
	"sigs.k8s.io/kueue/pkg/controller/jobs/kubeflow/jobs/xgboostjob"
	kueuelws "sigs.k8s.io/kueue/pkg/controller/jobs/leaderworkerset"
	"sigs.k8s.io/kueue/pkg/controller/jobs/mpijob"
	"sigs.k8s.io/kueue/pkg/controller/jobs/pod"
	"sigs.k8s.io/kueue/pkg/controller/jobs/raycluster"
	"sigs.k8s.io/kueue/pkg/controller/jobs/rayjob"
	"sigs.k8s.io/kueue/pkg/controller/jobs/rayservice"
	"sigs.k8s.io/kueue/pkg/controller/jobs/statefulset"
	"sigs.k8s.io/kueue/pkg/controller/jobs/trainjob"
	"sigs.k8s.io/kueue/pkg/webhooks"
	lws "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"trainyard.dev/oracle/admission"
)

func main() { admission.Answer(verdict) }

var operator = admission.Operator{
	Scheme: admission.Scheme(clientgoscheme.AddToScheme, kueuev1beta2.AddToScheme,
		jobset.AddToScheme, lws.AddToScheme, mpi.AddToScheme, rayv1.AddToScheme,
		trainer.AddToScheme, training.AddToScheme),
	Setup: register,
	// As config/components/webhook/manifests.yaml of Kueue has it.
	MutatesUpdates: func(kind string) bool {
		switch kind {
		case "apps/v1 Deployment", "apps/v1 StatefulSet", "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet":
			return true
		}
		return false
	},
}

var integrations = []func(manager.Manager, ...jobframework.Option) error{
	deployment.SetupWebhook, job.SetupWebhook, kueuejobset.SetupJobSetWebhook,
	jaxjob.SetupJAXJobWebhook, paddlejob.SetupPaddleJobWebhook, pytorchjob.SetupPyTorchJobWebhook,
	tfjob.SetupTFJobWebhook, xgboostjob.SetupXGBoostJobWebhook, kueuelws.SetupWebhook,
	mpijob.SetupMPIJobWebhook, pod.SetupWebhook, raycluster.SetupRayClusterWebhook,
	rayjob.SetupRayJobWebhook, rayservice.SetupRayServiceWebhook, statefulset.SetupWebhook,
	trainjob.SetupTrainJobWebhook,
}

func register(m manager.Manager) error {
	if _, err := webhooks.Setup(m, nil); err != nil {
		return err
	}
	// What TrainJobs need to find their runtimes.
	if _, err := trainerruntime.New(context.Background(), m.GetClient(), admission.Indexer{}, nil); err != nil {
		return err
	}
	cache := scheduler.New(m.GetClient())
	all := []jobframework.Option{
		jobframework.WithCache(cache),
		jobframework.WithQueues(queues.NewManager(m.GetClient(), cache, queues.NewRequeuer())),
	}
	for _, setup := range integrations {
		if err := setup(m, all...); err != nil {
			return err
		}
	}
	return nil
}

// verdict asks in a cluster in which the namespace is there, once the API server has filled in what
// Kueue relies on.
func verdict(asked admission.Case) (string, error) {
	for _, object := range []map[string]any{asked.Object, asked.Old} {
		spec, _ := object["spec"].(map[string]any)
		if object["kind"] == "Job" && spec["parallelism"] == nil {
			spec["parallelism"] = 1
		}
	}
	if asked.Kind() == "kubeflow.org/v1 MPIJob" {
		return "", nil // Kueue registers for v2beta1 only
	}
	metadata, _ := asked.Object["metadata"].(map[string]any)
	if name, ok := metadata["namespace"].(string); ok {
		asked.With = append(asked.With, map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		})
	}
	return operator.Ask(asked)
}
