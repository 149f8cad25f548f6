package main

import (
	"context"
	"errors"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/common"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"trainyard.dev/oracle/admission"
)

// KubeRay checks objects when it reconciles them. What is behind its feature gates is asked as well.
func init() {
	utilruntime.Must(utilfeature.DefaultMutableFeatureGate.Set(
		"RayServiceIncrementalUpgrade=true,RayCronJob=true"))
}

func rayCluster(object map[string]any) error {
	var cluster rayv1.RayCluster
	return errors.Join(admission.Decode(object, &cluster), clusterFault(&cluster))
}

func rayJob(object map[string]any) error {
	var job rayv1.RayJob
	if err := admission.Decode(object, &job); err != nil {
		return err
	}
	return jobFault(&job)
}

func rayService(object map[string]any) error {
	var service rayv1.RayService
	if err := admission.Decode(object, &service); err != nil {
		return err
	}
	return serviceFault(&service)
}

func rayCronJob(object map[string]any) error {
	var cron rayv1.RayCronJob
	if err := admission.Decode(object, &cron); err != nil {
		return err
	}
	job := &rayv1.RayJob{Spec: cron.Spec.JobTemplate}
	job.Name = cron.Name + "-abcde"
	return errors.Join(utils.ValidateRayCronJobSpec(&cron), jobFault(job))
}

func clusterFault(cluster *rayv1.RayCluster) error {
	return errors.Join(utils.ValidateRayClusterMetadata(cluster.ObjectMeta),
		utils.ValidateRayClusterSpec(&cluster.Spec, cluster.Annotations),
		utils.ValidateRayClusterUpgradeOptions(cluster))
}

// made is the cluster that KubeRay makes for a job or a service.
func made(crd utils.CRDType, owner metav1.ObjectMeta, spec rayv1.RayClusterSpec) *rayv1.RayCluster {
	cluster := &rayv1.RayCluster{Spec: spec}
	cluster.Name = owner.Name + "-abcde"
	cluster.Labels = map[string]string{
		utils.RayOriginatedFromCRDLabelKey: utils.RayOriginatedFromCRDLabelValue(crd),
	}
	cluster.Annotations = owner.Annotations
	return cluster
}

func jobFault(job *rayv1.RayJob) error {
	if err := errors.Join(utils.ValidateRayJobMetadata(job.ObjectMeta),
		utils.ValidateRayJobSpec(job)); err != nil {
		return err
	}
	if job.Spec.RayClusterSpec != nil {
		if err := clusterFault(made(utils.RayJobCRD, job.ObjectMeta, *job.Spec.RayClusterSpec)); err != nil {
			return err
		}
	}
	mode := job.Spec.SubmissionMode
	if mode != rayv1.K8sJobMode && mode != rayv1.SidecarMode {
		return nil
	}
	_, err := common.BuildJobSubmitCommand(job, mode)
	return err
}

func serviceFault(service *rayv1.RayService) error {
	if err := errors.Join(utils.ValidateRayServiceMetadata(service.ObjectMeta),
		utils.ValidateRayServiceSpec(service)); err != nil {
		return err
	}
	cluster := made(utils.RayServiceCRD, service.ObjectMeta, service.Spec.RayClusterSpec)
	if err := clusterFault(cluster); err != nil {
		return err
	}
	_, err := common.BuildServeServiceForRayService(context.Background(), *service, *cluster)
	return err
}
