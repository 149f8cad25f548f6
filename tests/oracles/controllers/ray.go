package main

import (
	"context"
	"fmt"
	_ "unsafe" // for linkname

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

//go:linkname buildHeadPod github.com/ray-project/kuberay/ray-operator/controllers/ray.(*RayClusterReconciler).buildHeadPod
func buildHeadPod(r *ray.RayClusterReconciler, ctx context.Context, cluster rayv1.RayCluster) corev1.Pod

//go:linkname buildWorkerPod github.com/ray-project/kuberay/ray-operator/controllers/ray.(*RayClusterReconciler).buildWorkerPod
func buildWorkerPod(r *ray.RayClusterReconciler, ctx context.Context, cluster rayv1.RayCluster,
	group rayv1.WorkerGroupSpec, replica string, index, host int) corev1.Pod

//go:linkname setRayDefaults github.com/ray-project/kuberay/ray-operator/controllers/ray.setDefaults
func setRayDefaults(cluster *rayv1.RayCluster)

//go:linkname clusterForService github.com/ray-project/kuberay/ray-operator/controllers/ray.constructRayClusterForRayService
func clusterForService(service *rayv1.RayService, name string, scheme *runtime.Scheme) (
	*rayv1.RayCluster, error)

//go:linkname clusterForJob github.com/ray-project/kuberay/ray-operator/controllers/ray.(*RayJobReconciler).constructRayClusterForRayJob
func clusterForJob(r *ray.RayJobReconciler, job *rayv1.RayJob, name string) (
	*rayv1.RayCluster, error)

//go:linkname submitterTemplate github.com/ray-project/kuberay/ray-operator/controllers/ray.getSubmitterTemplate
func submitterTemplate(job *rayv1.RayJob, cluster *rayv1.RayCluster) (
	corev1.PodTemplateSpec, error)

var rayScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := rayv1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}()

// randomEnd stands for the five characters that KubeRay makes up.
const randomEnd = "-abcde"

// podsOfCluster are the head, and then the workers of each group.
func podsOfCluster(cluster *rayv1.RayCluster) []any {
	cluster.UID = "<uid>"
	setRayDefaults(cluster)
	for i := range cluster.Spec.WorkerGroupSpecs { // the CRD's default
		if group := &cluster.Spec.WorkerGroupSpecs[i]; group.NumOfHosts == 0 {
			group.NumOfHosts = 1
		}
	}
	reconciler := &ray.RayClusterReconciler{Scheme: rayScheme}
	head := buildHeadPod(reconciler, context.Background(), *cluster.DeepCopy())
	// createHeadPod adds these, with values that only a cluster has.
	head.Annotations[utils.KubeRayVersion] = "<release of KubeRay>"
	head.Annotations[utils.UpgradeStrategyRecreateHashKey] = "<hash of the cluster>"
	made := []any{head}
	for i := range cluster.Spec.WorkerGroupSpecs {
		group := cluster.Spec.WorkerGroupSpecs[i]
		hosts := int(group.NumOfHosts)
		for index := 0; index < int(utils.GetWorkerGroupDesiredReplicas(group)); index++ {
			replica := ""
			if hosts > 1 {
				replica = group.GroupName + randomEnd
			}
			copied := cluster.DeepCopy()
			made = append(made, buildWorkerPod(reconciler, context.Background(), *copied,
				copied.Spec.WorkerGroupSpecs[i], replica, index/hosts, index%hosts))
		}
	}
	return made
}

func podsOfRayCluster(text []byte) ([]any, error) {
	cluster := &rayv1.RayCluster{}
	if err := yaml.UnmarshalStrict(text, cluster); err != nil {
		return nil, err
	}
	return podsOfCluster(cluster), nil
}

func podsOfRayService(text []byte) ([]any, error) {
	service := &rayv1.RayService{}
	if err := yaml.UnmarshalStrict(text, service); err != nil {
		return nil, err
	}
	cluster, err := clusterForService(service, service.Name+randomEnd, rayScheme)
	if err != nil {
		return nil, err
	}
	return podsOfCluster(cluster), nil
}

// podsOfRayJob are those of its cluster, and the template of the Job that submits it.
func podsOfRayJob(text []byte) ([]any, error) {
	job := &rayv1.RayJob{}
	if err := yaml.UnmarshalStrict(text, job); err != nil {
		return nil, err
	}
	job.Status.JobId = job.Spec.JobId
	if job.Status.JobId == "" {
		job.Status.JobId = job.Name + randomEnd
	}
	name := job.Name + randomEnd
	cluster, err := clusterForJob(&ray.RayJobReconciler{Scheme: rayScheme}, job, name)
	if err != nil {
		return nil, err
	}
	made := podsOfCluster(cluster)
	if job.Spec.SubmissionMode != "" && job.Spec.SubmissionMode != rayv1.K8sJobMode {
		return made, nil
	}
	// The port of the Service in front of the head, which the controller looks up.
	head := &cluster.Spec.HeadGroupSpec.Template.Spec.Containers[utils.RayContainerIndex]
	port := utils.FindContainerPort(head, utils.DashboardPortName, utils.DefaultDashboardPort)
	job.Status.DashboardURL = fmt.Sprintf("%s:%d",
		utils.GenerateFQDNServiceName(context.Background(), *cluster, cluster.Namespace), port)
	template, err := submitterTemplate(job, cluster)
	if err != nil {
		return nil, err
	}
	return append(made, template), nil
}
