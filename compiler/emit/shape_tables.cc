#include "emit/shape.h"

namespace trainyard {
namespace {

// The order in which people write the fields of each shape: what a reader asks first (what is it,
// how many, where) before what is long (templates, containers, volumes). The field names are those
// of kubernetes/api and of the projects' CRDs.

constexpr Field kGeneric[] = {{"apiVersion"},
                              {"kind"},
                              {"name"},
                              {"namespace"},
                              {"type"},
                              {"metadata", Shape::Metadata},
                              {"labels", Shape::UserMap},
                              {"annotations", Shape::UserMap},
                              {"nodeSelector", Shape::UserMap},
                              {"tolerations", Shape::Toleration},
                              {"affinity", Shape::Affinity},
                              {"env", Shape::EnvVar},
                              {"envFrom", Shape::EnvFrom},
                              {"resources", Shape::Resources},
                              {"requests", Shape::ResourceList},
                              {"limits", Shape::ResourceList},
                              {"sizeLimit", Shape::Quantity},
                              {"defaultMode", Shape::Mode},
                              {"volumeMounts", Shape::VolumeMount},
                              {"volumes", Shape::Volume}};
constexpr Field kResourceList[] = {{"cpu", Shape::Quantity},
                                   {"memory", Shape::Quantity},
                                   {"ephemeral-storage", Shape::Quantity},
                                   {"storage", Shape::Quantity}};
constexpr Field kObject[] = {{"apiVersion"},
                             {"kind"},
                             {"metadata", Shape::Metadata},
                             {"immutable"},
                             {"type"},
                             {"spec"},
                             {"data", Shape::UserMap},
                             {"binaryData", Shape::UserMap},
                             {"stringData", Shape::UserMap},
                             {"items"}};
constexpr Field kMetadata[] = {{"name"},
                               {"generateName"},
                               {"namespace"},
                               {"labels", Shape::UserMap},
                               {"annotations", Shape::UserMap},
                               {"ownerReferences", Shape::ObjectReference},
                               {"finalizers"}};
constexpr Field kObjectReference[] = {{"apiVersion"}, {"apiGroup"},   {"kind"},
                                      {"name"},       {"namespace"},  {"fieldPath"},
                                      {"uid"},        {"controller"}, {"blockOwnerDeletion"}};
constexpr Field kLabelSelector[] = {{"matchLabels", Shape::UserMap},
                                    {"matchExpressions", Shape::Requirement}};
constexpr Field kRequirement[] = {{"key"}, {"operator"}, {"values"}};
constexpr Field kPodTemplate[] = {{"metadata", Shape::Metadata}, {"spec", Shape::PodSpec}};
constexpr Field kPodSpec[] = {{"schedulerName"},
                              {"priorityClassName"},
                              {"priority"},
                              {"preemptionPolicy"},
                              {"runtimeClassName"},
                              {"serviceAccountName"},
                              {"serviceAccount"},
                              {"automountServiceAccountToken"},
                              {"restartPolicy"},
                              {"activeDeadlineSeconds"},
                              {"terminationGracePeriodSeconds"},
                              {"hostname"},
                              {"subdomain"},
                              {"hostnameOverride"},
                              {"setHostnameAsFQDN"},
                              {"hostNetwork"},
                              {"hostPID"},
                              {"hostIPC"},
                              {"hostUsers"},
                              {"shareProcessNamespace"},
                              {"enableServiceLinks"},
                              {"dnsPolicy"},
                              {"dnsConfig", Shape::DnsConfig},
                              {"hostAliases", Shape::HostAlias},
                              {"nodeName"},
                              {"nodeSelector", Shape::UserMap},
                              {"affinity", Shape::Affinity},
                              {"tolerations", Shape::Toleration},
                              {"topologySpreadConstraints", Shape::TopologySpread},
                              {"schedulingGates"},
                              {"readinessGates"},
                              {"os"},
                              {"securityContext", Shape::PodSecurityContext},
                              {"imagePullSecrets"},
                              {"resourceClaims", Shape::ResourceClaim},
                              {"resources", Shape::Resources},
                              {"overhead", Shape::ResourceList},
                              {"initContainers", Shape::Container},
                              {"containers", Shape::Container},
                              {"ephemeralContainers", Shape::Container},
                              {"volumes", Shape::Volume}};
constexpr Field kDnsConfig[] = {{"nameservers"}, {"searches"}, {"options", Shape::NameValue}};
constexpr Field kNameValue[] = {{"name"}, {"value"}};
constexpr Field kHostAlias[] = {{"ip"}, {"hostnames"}};
constexpr Field kResourceClaim[] = {
    {"name"}, {"resourceClaimName"}, {"resourceClaimTemplateName"}, {"request"}};
constexpr Field kContainer[] = {{"name"},
                                {"image"},
                                {"imagePullPolicy"},
                                {"restartPolicy"},
                                {"restartPolicyRules"},
                                {"command"},
                                {"args"},
                                {"workingDir"},
                                {"ports", Shape::ContainerPort},
                                {"envFrom", Shape::EnvFrom},
                                {"env", Shape::EnvVar},
                                {"resources", Shape::Resources},
                                {"resizePolicy", Shape::ResizePolicy},
                                {"volumeMounts", Shape::VolumeMount},
                                {"volumeDevices", Shape::VolumeDevice},
                                {"startupProbe", Shape::Probe},
                                {"livenessProbe", Shape::Probe},
                                {"readinessProbe", Shape::Probe},
                                {"lifecycle", Shape::Lifecycle},
                                {"terminationMessagePath"},
                                {"terminationMessagePolicy"},
                                {"securityContext", Shape::SecurityContext},
                                {"stdin"},
                                {"stdinOnce"},
                                {"tty"}};
constexpr Field kContainerPort[] = {
    {"name"}, {"containerPort"}, {"hostPort"}, {"hostIP"}, {"protocol"}};
constexpr Field kEnvVar[] = {{"name"}, {"value"}, {"valueFrom", Shape::EnvSource}};
constexpr Field kEnvSource[] = {{"fieldRef", Shape::FieldRef},
                                {"resourceFieldRef", Shape::ResourceFieldRef},
                                {"configMapKeyRef", Shape::KeyRef},
                                {"secretKeyRef", Shape::KeyRef},
                                {"fileKeyRef", Shape::FileKeyRef}};
constexpr Field kFieldRef[] = {{"apiVersion"}, {"fieldPath"}};
constexpr Field kResourceFieldRef[] = {
    {"containerName"}, {"resource"}, {"divisor", Shape::Quantity}};
constexpr Field kKeyRef[] = {{"name"}, {"key"}, {"optional"}};
constexpr Field kFileKeyRef[] = {{"volumeName"}, {"path"}, {"key"}, {"optional"}};
constexpr Field kEnvFrom[] = {
    {"prefix"}, {"configMapRef", Shape::KeyRef}, {"secretRef", Shape::KeyRef}};
constexpr Field kResources[] = {{"requests", Shape::ResourceList},
                                {"limits", Shape::ResourceList},
                                {"claims", Shape::ResourceClaim}};
constexpr Field kResizePolicy[] = {{"resourceName"}, {"restartPolicy"}};
constexpr Field kVolumeMount[] = {
    {"name"},     {"mountPath"},         {"subPath"},         {"subPathExpr"},
    {"readOnly"}, {"recursiveReadOnly"}, {"mountPropagation"}};
constexpr Field kVolumeDevice[] = {{"name"}, {"devicePath"}};
constexpr Field kProbe[] = {{"exec"},
                            {"httpGet", Shape::HttpGet},
                            {"tcpSocket", Shape::HttpGet},
                            {"grpc"},
                            {"initialDelaySeconds"},
                            {"periodSeconds"},
                            {"timeoutSeconds"},
                            {"successThreshold"},
                            {"failureThreshold"},
                            {"terminationGracePeriodSeconds"}};
constexpr Field kHttpGet[] = {
    {"scheme"}, {"host"}, {"port"}, {"path"}, {"httpHeaders", Shape::NameValue}};
constexpr Field kLifecycle[] = {
    {"stopSignal"}, {"postStart", Shape::Probe}, {"preStop", Shape::Probe}};
constexpr Field kSecurityContext[] = {{"privileged"},
                                      {"allowPrivilegeEscalation"},
                                      {"runAsUser"},
                                      {"runAsGroup"},
                                      {"runAsNonRoot"},
                                      {"readOnlyRootFilesystem"},
                                      {"capabilities", Shape::Capabilities},
                                      {"seccompProfile", Shape::Profile},
                                      {"appArmorProfile", Shape::Profile},
                                      {"seLinuxOptions"},
                                      {"procMount"},
                                      {"windowsOptions"}};
constexpr Field kPodSecurityContext[] = {{"runAsUser"},
                                         {"runAsGroup"},
                                         {"runAsNonRoot"},
                                         {"fsGroup"},
                                         {"fsGroupChangePolicy"},
                                         {"supplementalGroups"},
                                         {"supplementalGroupsPolicy"},
                                         {"seccompProfile", Shape::Profile},
                                         {"appArmorProfile", Shape::Profile},
                                         {"seLinuxOptions"},
                                         {"seLinuxChangePolicy"},
                                         {"sysctls", Shape::NameValue},
                                         {"windowsOptions"}};
constexpr Field kCapabilities[] = {{"add"}, {"drop"}};
constexpr Field kProfile[] = {{"type"}, {"localhostProfile"}};
constexpr Field kVolume[] = {{"name"},
                             {"configMap", Shape::FilesVolume},
                             {"secret", Shape::FilesVolume},
                             {"projected", Shape::Projected},
                             {"downwardAPI", Shape::FilesVolume},
                             {"emptyDir", Shape::EmptyDir},
                             {"persistentVolumeClaim", Shape::ClaimVolume},
                             {"ephemeral", Shape::Ephemeral},
                             {"hostPath", Shape::HostPath},
                             {"nfs", Shape::Nfs},
                             {"csi", Shape::Csi},
                             {"image", Shape::ImageVolume}};
constexpr Field kFilesVolume[] = {{"name"},
                                  {"secretName"},
                                  {"optional"},
                                  {"defaultMode", Shape::Mode},
                                  {"items", Shape::FileItem}};
constexpr Field kFileItem[] = {{"key"},
                               {"path"},
                               {"fieldRef", Shape::FieldRef},
                               {"resourceFieldRef", Shape::ResourceFieldRef},
                               {"mode", Shape::Mode}};
constexpr Field kProjected[] = {{"defaultMode", Shape::Mode}, {"sources", Shape::Projection}};
constexpr Field kProjection[] = {{"configMap", Shape::FilesVolume},
                                 {"secret", Shape::FilesVolume},
                                 {"downwardAPI", Shape::FilesVolume},
                                 {"serviceAccountToken", Shape::Token},
                                 {"clusterTrustBundle"},
                                 {"podCertificate"}};
constexpr Field kToken[] = {{"audience"}, {"expirationSeconds"}, {"path"}};
constexpr Field kEmptyDir[] = {{"medium"}, {"sizeLimit", Shape::Quantity}};
constexpr Field kClaimVolume[] = {{"claimName"}, {"readOnly"}};
constexpr Field kEphemeral[] = {{"volumeClaimTemplate", Shape::ClaimTemplate}};
constexpr Field kClaimTemplate[] = {
    {"apiVersion"}, {"kind"}, {"metadata", Shape::Metadata}, {"spec", Shape::ClaimSpec}};
constexpr Field kHostPath[] = {{"path"}, {"type"}};
constexpr Field kNfs[] = {{"server"}, {"path"}, {"readOnly"}};
constexpr Field kCsi[] = {
    {"driver"},   {"volumeHandle"},         {"fsType"},
    {"readOnly"}, {"nodePublishSecretRef"}, {"volumeAttributes", Shape::UserMap}};
constexpr Field kImageVolume[] = {{"reference"}, {"pullPolicy"}};
constexpr Field kAffinity[] = {{"nodeAffinity", Shape::NodeAffinity},
                               {"podAffinity", Shape::PodAffinity},
                               {"podAntiAffinity", Shape::PodAffinity}};
constexpr Field kNodeAffinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", Shape::NodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", Shape::PreferredNodes}};
constexpr Field kNodeSelector[] = {{"nodeSelectorTerms", Shape::NodeTerm}};
constexpr Field kNodeTerm[] = {{"matchExpressions", Shape::Requirement},
                               {"matchFields", Shape::Requirement}};
constexpr Field kPreferredNodes[] = {{"weight"}, {"preference", Shape::NodeTerm}};
constexpr Field kPodAffinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", Shape::PodTerm},
    {"preferredDuringSchedulingIgnoredDuringExecution", Shape::PreferredPods}};
constexpr Field kPodTerm[] = {
    {"labelSelector", Shape::LabelSelector},     {"matchLabelKeys"}, {"mismatchLabelKeys"},
    {"namespaceSelector", Shape::LabelSelector}, {"namespaces"},     {"topologyKey"}};
constexpr Field kPreferredPods[] = {{"weight"}, {"podAffinityTerm", Shape::PodTerm}};
constexpr Field kToleration[] = {
    {"key"}, {"operator"}, {"value"}, {"effect"}, {"tolerationSeconds"}};
constexpr Field kTopologySpread[] = {{"maxSkew"},
                                     {"minDomains"},
                                     {"topologyKey"},
                                     {"whenUnsatisfiable"},
                                     {"labelSelector", Shape::LabelSelector},
                                     {"matchLabelKeys"},
                                     {"nodeAffinityPolicy"},
                                     {"nodeTaintsPolicy"}};
constexpr Field kTaint[] = {{"key"}, {"value"}, {"effect"}, {"timeAdded"}};
constexpr Field kJobSpec[] = {{"suspend"},
                              {"managedBy"},
                              {"completionMode"},
                              {"parallelism"},
                              {"completions"},
                              {"backoffLimit"},
                              {"backoffLimitPerIndex"},
                              {"maxFailedIndexes"},
                              {"activeDeadlineSeconds"},
                              {"ttlSecondsAfterFinished"},
                              {"podReplacementPolicy"},
                              {"podFailurePolicy", Shape::PodFailurePolicy},
                              {"successPolicy", Shape::SuccessPolicy},
                              {"manualSelector"},
                              {"selector", Shape::LabelSelector},
                              {"template", Shape::PodTemplate}};
constexpr Field kJobTemplate[] = {{"metadata", Shape::Metadata}, {"spec", Shape::JobSpec}};
constexpr Field kPodFailurePolicy[] = {{"rules", Shape::PodFailureRule}};
constexpr Field kPodFailureRule[] = {
    {"action"}, {"onExitCodes", Shape::ExitCodes}, {"onPodConditions", Shape::PodCondition}};
constexpr Field kExitCodes[] = {{"containerName"}, {"operator"}, {"values"}};
constexpr Field kPodCondition[] = {{"type"}, {"status"}};
constexpr Field kSuccessPolicy[] = {{"rules", Shape::SuccessRule}};
constexpr Field kSuccessRule[] = {{"succeededIndexes"}, {"succeededCount"}};
constexpr Field kCronJobSpec[] = {{"schedule"},
                                  {"timeZone"},
                                  {"suspend"},
                                  {"concurrencyPolicy"},
                                  {"startingDeadlineSeconds"},
                                  {"successfulJobsHistoryLimit"},
                                  {"failedJobsHistoryLimit"},
                                  {"jobTemplate", Shape::JobTemplate}};
constexpr Field kWorkloadSpec[] = {{"serviceName"},
                                   {"replicas"},
                                   {"minReadySeconds"},
                                   {"paused"},
                                   {"progressDeadlineSeconds"},
                                   {"podManagementPolicy"},
                                   {"revisionHistoryLimit"},
                                   {"selector", Shape::LabelSelector},
                                   {"strategy", Shape::Strategy},
                                   {"updateStrategy", Shape::Strategy},
                                   {"ordinals"},
                                   {"persistentVolumeClaimRetentionPolicy"},
                                   {"template", Shape::PodTemplate},
                                   {"volumeClaimTemplates", Shape::ClaimTemplate}};
constexpr Field kStrategy[] = {{"type"}, {"rollingUpdate"}};
constexpr Field kServiceSpec[] = {{"type"},
                                  {"clusterIP"},
                                  {"clusterIPs"},
                                  {"externalName"},
                                  {"externalIPs"},
                                  {"loadBalancerClass"},
                                  {"loadBalancerIP"},
                                  {"ipFamilyPolicy"},
                                  {"ipFamilies"},
                                  {"publishNotReadyAddresses"},
                                  {"sessionAffinity"},
                                  {"sessionAffinityConfig"},
                                  {"internalTrafficPolicy"},
                                  {"externalTrafficPolicy"},
                                  {"trafficDistribution"},
                                  {"selector", Shape::UserMap},
                                  {"ports", Shape::ServicePort}};
constexpr Field kServicePort[] = {{"name"}, {"protocol"},   {"appProtocol"},
                                  {"port"}, {"targetPort"}, {"nodePort"}};
constexpr Field kConfigMap[] = {{"apiVersion"},
                                {"kind"},
                                {"metadata", Shape::Metadata},
                                {"immutable"},
                                {"data", Shape::UserMap},
                                {"binaryData", Shape::UserMap}};
constexpr Field kSecret[] = {{"apiVersion"},
                             {"kind"},
                             {"metadata", Shape::Metadata},
                             {"type"},
                             {"immutable"},
                             {"data", Shape::UserMap},
                             {"stringData", Shape::UserMap}};
constexpr Field kClaimSpec[] = {{"accessModes"},
                                {"storageClassName"},
                                {"volumeMode"},
                                {"volumeName"},
                                {"volumeAttributesClassName"},
                                {"selector", Shape::LabelSelector},
                                {"resources", Shape::Resources},
                                {"dataSource", Shape::ObjectReference},
                                {"dataSourceRef", Shape::ObjectReference}};
constexpr Field kVolumeSpec[] = {{"capacity", Shape::ResourceList},
                                 {"accessModes"},
                                 {"storageClassName"},
                                 {"volumeMode"},
                                 {"persistentVolumeReclaimPolicy"},
                                 {"mountOptions"},
                                 {"claimRef", Shape::ObjectReference},
                                 {"nodeAffinity"},
                                 {"csi", Shape::Csi},
                                 {"nfs", Shape::Nfs},
                                 {"hostPath", Shape::HostPath},
                                 {"local"}};
constexpr Field kStorageClass[] = {{"apiVersion"},
                                   {"kind"},
                                   {"metadata", Shape::Metadata},
                                   {"provisioner"},
                                   {"parameters", Shape::UserMap},
                                   {"reclaimPolicy"},
                                   {"volumeBindingMode"},
                                   {"allowVolumeExpansion"},
                                   {"mountOptions"},
                                   {"allowedTopologies"}};
constexpr Field kServiceAccount[] = {{"apiVersion"},
                                     {"kind"},
                                     {"metadata", Shape::Metadata},
                                     {"automountServiceAccountToken"},
                                     {"imagePullSecrets"},
                                     {"secrets"}};
constexpr Field kRole[] = {{"apiVersion"},
                           {"kind"},
                           {"metadata", Shape::Metadata},
                           {"aggregationRule"},
                           {"rules", Shape::PolicyRule}};
constexpr Field kPolicyRule[] = {
    {"apiGroups"}, {"resources"}, {"resourceNames"}, {"nonResourceURLs"}, {"verbs"}};
constexpr Field kRoleBinding[] = {{"apiVersion"},
                                  {"kind"},
                                  {"metadata", Shape::Metadata},
                                  {"roleRef", Shape::RoleRef},
                                  {"subjects", Shape::Subject}};
constexpr Field kRoleRef[] = {{"apiGroup"}, {"kind"}, {"name"}};
constexpr Field kSubject[] = {{"kind"}, {"name"}, {"namespace"}, {"apiGroup"}};
constexpr Field kPriorityClass[] = {
    {"apiVersion"}, {"kind"},          {"metadata", Shape::Metadata},
    {"value"},      {"globalDefault"}, {"preemptionPolicy"},
    {"description"}};
constexpr Field kNetworkPolicySpec[] = {{"podSelector", Shape::LabelSelector},
                                        {"policyTypes"},
                                        {"ingress", Shape::NetworkRule},
                                        {"egress", Shape::NetworkRule}};
constexpr Field kNetworkRule[] = {
    {"from", Shape::NetworkPeer}, {"to", Shape::NetworkPeer}, {"ports", Shape::NetworkPort}};
constexpr Field kNetworkPeer[] = {{"podSelector", Shape::LabelSelector},
                                  {"namespaceSelector", Shape::LabelSelector},
                                  {"ipBlock"}};
constexpr Field kNetworkPort[] = {{"protocol"}, {"port"}, {"endPort"}};
constexpr Field kDisruptionSpec[] = {{"minAvailable"},
                                     {"maxUnavailable"},
                                     {"selector", Shape::LabelSelector},
                                     {"unhealthyPodEvictionPolicy"}};
constexpr Field kQuotaSpec[] = {{"hard", Shape::ResourceList}, {"scopes"}, {"scopeSelector"}};
constexpr Field kLimitRangeSpec[] = {{"limits", Shape::LimitRange}};
constexpr Field kLimitRange[] = {{"type"},
                                 {"default", Shape::ResourceList},
                                 {"defaultRequest", Shape::ResourceList},
                                 {"min", Shape::ResourceList},
                                 {"max", Shape::ResourceList},
                                 {"maxLimitRequestRatio", Shape::ResourceList}};
constexpr Field kReplicaJobSpec[] = {{"suspend"},
                                     {"managedBy"},
                                     {"mpiImplementation"},
                                     {"slotsPerWorker"},
                                     {"launcherCreationPolicy"},
                                     {"runLauncherAsWorker"},
                                     {"sshAuthMountPath"},
                                     {"enableDynamicWorker"},
                                     {"successPolicy"},
                                     {"nprocPerNode"},
                                     {"runPolicy", Shape::RunPolicy},
                                     {"cleanPodPolicy"},
                                     {"elasticPolicy", Shape::ElasticPolicy},
                                     {"mainContainer"},
                                     {"pytorchReplicaSpecs", Shape::ReplicaSpecs},
                                     {"tfReplicaSpecs", Shape::ReplicaSpecs},
                                     {"jaxReplicaSpecs", Shape::ReplicaSpecs},
                                     {"xgbReplicaSpecs", Shape::ReplicaSpecs},
                                     {"paddleReplicaSpecs", Shape::ReplicaSpecs},
                                     {"mpiReplicaSpecs", Shape::ReplicaSpecs}};
constexpr Field kRunPolicy[] = {{"suspend"},
                                {"managedBy"},
                                {"cleanPodPolicy"},
                                {"backoffLimit"},
                                {"activeDeadlineSeconds"},
                                {"ttlSecondsAfterFinished"},
                                {"schedulingPolicy", Shape::SchedulingPolicy}};
constexpr Field kSchedulingPolicy[] = {{"queue"},
                                       {"priorityClass"},
                                       {"minAvailable"},
                                       {"minResources", Shape::ResourceList},
                                       {"scheduleTimeoutSeconds"}};
constexpr Field kElasticPolicy[] = {
    {"minReplicas"}, {"maxReplicas"}, {"maxRestarts"},  {"rdzvBackend"}, {"rdzvHost"}, {"rdzvPort"},
    {"rdzvId"},      {"rdzvConf"},    {"nProcPerNode"}, {"standalone"},  {"metrics"}};
constexpr Field kReplicaSpecs[] = {
    {"Launcher", Shape::ReplicaSpec}, {"Chief", Shape::ReplicaSpec},
    {"Master", Shape::ReplicaSpec},   {"PS", Shape::ReplicaSpec},
    {"Worker", Shape::ReplicaSpec},   {"Evaluator", Shape::ReplicaSpec}};
constexpr Field kReplicaSpec[] = {
    {"replicas"}, {"restartPolicy"}, {"template", Shape::PodTemplate}};
constexpr Field kTrainJobSpec[] = {{"suspend"},
                                   {"managedBy"},
                                   {"runtimeRef", Shape::RuntimeRef},
                                   {"activeDeadlineSeconds"},
                                   {"initializer"},
                                   {"trainer", Shape::Trainer},
                                   {"labels", Shape::UserMap},
                                   {"annotations", Shape::UserMap},
                                   {"podSpecOverrides", Shape::PodOverride},
                                   {"podTemplateOverrides", Shape::PodOverride},
                                   {"runtimePatches"}};
constexpr Field kRuntimeRef[] = {{"apiGroup"}, {"kind"}, {"name"}};
constexpr Field kTrainer[] = {{"image"},
                              {"command"},
                              {"args"},
                              {"env", Shape::EnvVar},
                              {"numNodes"},
                              {"numProcPerNode"},
                              {"resourcesPerNode", Shape::Resources}};
constexpr Field kPodOverride[] = {
    {"targetJobs"}, {"metadata", Shape::Metadata}, {"spec", Shape::PodSpec}};
constexpr Field kRuntimeSpec[] = {
    {"mlPolicy"}, {"podGroupPolicy"}, {"template", Shape::JobSetTemplate}};
constexpr Field kJobSetTemplate[] = {{"metadata", Shape::Metadata}, {"spec", Shape::JobSetSpec}};
constexpr Field kJobSetSpec[] = {{"suspend"},
                                 {"managedBy"},
                                 {"ttlSecondsAfterFinished"},
                                 {"network"},
                                 {"startupPolicy"},
                                 {"successPolicy"},
                                 {"failurePolicy"},
                                 {"coordinator"},
                                 {"volumeClaimPolicies"},
                                 {"replicatedJobs", Shape::ReplicatedJob}};
constexpr Field kReplicatedJob[] = {
    {"name"}, {"groupName"}, {"replicas"}, {"dependsOn"}, {"template", Shape::JobTemplate}};
constexpr Field kVolcanoJobSpec[] = {{"schedulerName"},
                                     {"queue"},
                                     {"priorityClassName"},
                                     {"minAvailable"},
                                     {"minSuccess"},
                                     {"maxRetry"},
                                     {"ttlSecondsAfterFinished"},
                                     {"runningEstimate"},
                                     {"networkTopology"},
                                     {"plugins"},
                                     {"policies", Shape::VolcanoPolicy},
                                     {"volumes"},
                                     {"tasks", Shape::VolcanoTask}};
constexpr Field kVolcanoTask[] = {
    {"name"},           {"replicas"},        {"minAvailable"},
    {"maxRetry"},       {"dependsOn"},       {"policies", Shape::VolcanoPolicy},
    {"topologyPolicy"}, {"partitionPolicy"}, {"template", Shape::PodTemplate}};
constexpr Field kVolcanoPolicy[] = {{"event"}, {"events"}, {"exitCode"}, {"action"}, {"timeout"}};
constexpr Field kVolcanoQueueSpec[] = {{"parent"},
                                       {"type"},
                                       {"weight"},
                                       {"priority"},
                                       {"reclaimable"},
                                       {"capability", Shape::ResourceList},
                                       {"deserved", Shape::ResourceList},
                                       {"guarantee", Shape::VolcanoGuarantee},
                                       {"affinity"}};
constexpr Field kVolcanoGuarantee[] = {{"resource", Shape::ResourceList}};
constexpr Field kPodGroupSpec[] = {{"queue"},
                                   {"priorityClassName"},
                                   {"minMember"},
                                   {"minTaskMember"},
                                   {"minResources", Shape::ResourceList},
                                   {"scheduleTimeoutSeconds"},
                                   {"networkTopology"}};
constexpr Field kClusterQueueSpec[] = {{"cohort"},
                                       {"cohortName"},
                                       {"namespaceSelector", Shape::LabelSelector},
                                       {"queueingStrategy"},
                                       {"stopPolicy"},
                                       {"flavorFungibility"},
                                       {"preemption"},
                                       {"fairSharing"},
                                       {"admissionChecks"},
                                       {"admissionChecksStrategy"},
                                       {"resourceGroups", Shape::ResourceGroup}};
constexpr Field kResourceGroup[] = {{"coveredResources"}, {"flavors", Shape::FlavorQuotas}};
constexpr Field kFlavorQuotas[] = {{"name"}, {"resources", Shape::FlavorQuota}};
constexpr Field kFlavorQuota[] = {{"name"},
                                  {"nominalQuota", Shape::Quantity},
                                  {"borrowingLimit", Shape::Quantity},
                                  {"lendingLimit", Shape::Quantity}};
constexpr Field kLocalQueueSpec[] = {{"clusterQueue"}, {"stopPolicy"}, {"fairSharing"}};
constexpr Field kFlavorSpec[] = {{"nodeLabels", Shape::UserMap},
                                 {"nodeTaints", Shape::Taint},
                                 {"tolerations", Shape::Toleration},
                                 {"topologyName"}};
constexpr Field kKaiQueueSpec[] = {
    {"displayName"}, {"parentQueue"}, {"priority"}, {"resources", Shape::KaiResources}};
constexpr Field kKaiResources[] = {
    {"gpu", Shape::KaiShare}, {"cpu", Shape::KaiShare}, {"memory", Shape::KaiShare}};
constexpr Field kKaiShare[] = {{"quota"}, {"limit"}, {"overQuotaWeight"}};
constexpr Field kRayClusterSpec[] = {{"rayVersion"},
                                     {"suspend"},
                                     {"managedBy"},
                                     {"enableInTreeAutoscaling"},
                                     {"autoscalerOptions"},
                                     {"gcsFaultToleranceOptions"},
                                     {"headServiceAnnotations", Shape::UserMap},
                                     {"headGroupSpec", Shape::RayGroup},
                                     {"workerGroupSpecs", Shape::RayGroup}};
constexpr Field kRayGroup[] = {{"groupName"},
                               {"suspend"},
                               {"replicas"},
                               {"minReplicas"},
                               {"maxReplicas"},
                               {"numOfHosts"},
                               {"idleTimeoutSeconds"},
                               {"serviceType"},
                               {"enableIngress"},
                               {"headService"},
                               {"rayStartParams", Shape::UserMap},
                               {"resources", Shape::UserMap},
                               {"labels", Shape::UserMap},
                               {"scaleStrategy"},
                               {"template", Shape::PodTemplate}};
constexpr Field kRayJobSpec[] = {{"suspend"},
                                 {"managedBy"},
                                 {"submissionMode"},
                                 {"entrypoint"},
                                 {"entrypointNumCpus"},
                                 {"entrypointNumGpus"},
                                 {"entrypointResources"},
                                 {"runtimeEnvYAML"},
                                 {"jobId"},
                                 {"metadata", Shape::UserMap},
                                 {"backoffLimit"},
                                 {"activeDeadlineSeconds"},
                                 {"ttlSecondsAfterFinished"},
                                 {"shutdownAfterJobFinishes"},
                                 {"deletionStrategy"},
                                 {"clusterSelector", Shape::UserMap},
                                 {"rayClusterSpec", Shape::RayClusterSpec},
                                 {"submitterPodTemplate", Shape::PodTemplate},
                                 {"submitterConfig"}};
constexpr Field kRayServiceSpec[] = {
    {"serveConfigV2"}, {"serveService"}, {"rayClusterConfig", Shape::RayClusterSpec}};
constexpr Field kLwsSpec[] = {{"replicas"},
                              {"startupPolicy"},
                              {"rolloutStrategy"},
                              {"networkConfig"},
                              {"leaderWorkerTemplate", Shape::LwsTemplate}};
constexpr Field kLwsTemplate[] = {{"size"},
                                  {"restartPolicy"},
                                  {"subGroupPolicy"},
                                  {"leaderTemplate", Shape::PodTemplate},
                                  {"workerTemplate", Shape::PodTemplate},
                                  {"volumeClaimTemplates", Shape::ClaimTemplate}};
constexpr Field kKustomization[] = {{"apiVersion"},
                                    {"kind"},
                                    {"metadata", Shape::Metadata},
                                    {"namespace"},
                                    {"namePrefix"},
                                    {"nameSuffix"},
                                    {"labels"},
                                    {"commonLabels", Shape::UserMap},
                                    {"commonAnnotations", Shape::UserMap},
                                    {"resources"},
                                    {"components"},
                                    {"configMapGenerator"},
                                    {"secretGenerator"},
                                    {"generatorOptions"},
                                    {"images"},
                                    {"patches"},
                                    {"replacements"},
                                    {"replicas"}};
constexpr Field kTrainingJobSpec[] = {{"image"},
                                      {"imagePullPolicy"},
                                      {"imagePullSecrets"},
                                      {"framework"},
                                      {"run"},
                                      {"nodes"},
                                      {"gpusPerNode"},
                                      {"machine"},
                                      {"gpu"},
                                      {"resources"},
                                      {"elastic"},
                                      {"parallelism"},
                                      {"roles"},
                                      {"target"},
                                      {"network"},
                                      {"placement"},
                                      {"scheduling"},
                                      {"env"},
                                      {"secretEnv"},
                                      {"envFrom"},
                                      {"files"},
                                      {"storage"},
                                      {"data"},
                                      {"lifecycle"},
                                      {"serviceAccount"},
                                      {"security"},
                                      {"pod"},
                                      {"patches"}};

}  // namespace

std::span<const Field> fields_of(Shape shape) {
  switch (shape) {
    case Shape::Generic:
      return kGeneric;
    case Shape::Quantity:
    case Shape::Mode:
      return {};
    case Shape::UserMap:
      return {};
    case Shape::ResourceList:
      return kResourceList;
    case Shape::Object:
      return kObject;
    case Shape::Metadata:
      return kMetadata;
    case Shape::ObjectReference:
      return kObjectReference;
    case Shape::LabelSelector:
      return kLabelSelector;
    case Shape::Requirement:
      return kRequirement;
    case Shape::PodTemplate:
      return kPodTemplate;
    case Shape::PodSpec:
      return kPodSpec;
    case Shape::DnsConfig:
      return kDnsConfig;
    case Shape::NameValue:
      return kNameValue;
    case Shape::HostAlias:
      return kHostAlias;
    case Shape::ResourceClaim:
      return kResourceClaim;
    case Shape::Container:
      return kContainer;
    case Shape::ContainerPort:
      return kContainerPort;
    case Shape::EnvVar:
      return kEnvVar;
    case Shape::EnvSource:
      return kEnvSource;
    case Shape::FieldRef:
      return kFieldRef;
    case Shape::ResourceFieldRef:
      return kResourceFieldRef;
    case Shape::KeyRef:
      return kKeyRef;
    case Shape::FileKeyRef:
      return kFileKeyRef;
    case Shape::EnvFrom:
      return kEnvFrom;
    case Shape::Resources:
      return kResources;
    case Shape::ResizePolicy:
      return kResizePolicy;
    case Shape::VolumeMount:
      return kVolumeMount;
    case Shape::VolumeDevice:
      return kVolumeDevice;
    case Shape::Probe:
      return kProbe;
    case Shape::HttpGet:
      return kHttpGet;
    case Shape::Lifecycle:
      return kLifecycle;
    case Shape::SecurityContext:
      return kSecurityContext;
    case Shape::PodSecurityContext:
      return kPodSecurityContext;
    case Shape::Capabilities:
      return kCapabilities;
    case Shape::Profile:
      return kProfile;
    case Shape::Volume:
      return kVolume;
    case Shape::FilesVolume:
      return kFilesVolume;
    case Shape::FileItem:
      return kFileItem;
    case Shape::Projected:
      return kProjected;
    case Shape::Projection:
      return kProjection;
    case Shape::Token:
      return kToken;
    case Shape::EmptyDir:
      return kEmptyDir;
    case Shape::ClaimVolume:
      return kClaimVolume;
    case Shape::Ephemeral:
      return kEphemeral;
    case Shape::ClaimTemplate:
      return kClaimTemplate;
    case Shape::HostPath:
      return kHostPath;
    case Shape::Nfs:
      return kNfs;
    case Shape::Csi:
      return kCsi;
    case Shape::ImageVolume:
      return kImageVolume;
    case Shape::Affinity:
      return kAffinity;
    case Shape::NodeAffinity:
      return kNodeAffinity;
    case Shape::NodeSelector:
      return kNodeSelector;
    case Shape::NodeTerm:
      return kNodeTerm;
    case Shape::PreferredNodes:
      return kPreferredNodes;
    case Shape::PodAffinity:
      return kPodAffinity;
    case Shape::PodTerm:
      return kPodTerm;
    case Shape::PreferredPods:
      return kPreferredPods;
    case Shape::Toleration:
      return kToleration;
    case Shape::TopologySpread:
      return kTopologySpread;
    case Shape::Taint:
      return kTaint;
    case Shape::JobSpec:
      return kJobSpec;
    case Shape::JobTemplate:
      return kJobTemplate;
    case Shape::PodFailurePolicy:
      return kPodFailurePolicy;
    case Shape::PodFailureRule:
      return kPodFailureRule;
    case Shape::ExitCodes:
      return kExitCodes;
    case Shape::PodCondition:
      return kPodCondition;
    case Shape::SuccessPolicy:
      return kSuccessPolicy;
    case Shape::SuccessRule:
      return kSuccessRule;
    case Shape::CronJobSpec:
      return kCronJobSpec;
    case Shape::WorkloadSpec:
      return kWorkloadSpec;
    case Shape::Strategy:
      return kStrategy;
    case Shape::ServiceSpec:
      return kServiceSpec;
    case Shape::ServicePort:
      return kServicePort;
    case Shape::ConfigMap:
      return kConfigMap;
    case Shape::Secret:
      return kSecret;
    case Shape::ClaimSpec:
      return kClaimSpec;
    case Shape::VolumeSpec:
      return kVolumeSpec;
    case Shape::StorageClass:
      return kStorageClass;
    case Shape::ServiceAccount:
      return kServiceAccount;
    case Shape::Role:
      return kRole;
    case Shape::PolicyRule:
      return kPolicyRule;
    case Shape::RoleBinding:
      return kRoleBinding;
    case Shape::RoleRef:
      return kRoleRef;
    case Shape::Subject:
      return kSubject;
    case Shape::PriorityClass:
      return kPriorityClass;
    case Shape::NetworkPolicySpec:
      return kNetworkPolicySpec;
    case Shape::NetworkRule:
      return kNetworkRule;
    case Shape::NetworkPeer:
      return kNetworkPeer;
    case Shape::NetworkPort:
      return kNetworkPort;
    case Shape::DisruptionSpec:
      return kDisruptionSpec;
    case Shape::QuotaSpec:
      return kQuotaSpec;
    case Shape::LimitRangeSpec:
      return kLimitRangeSpec;
    case Shape::LimitRange:
      return kLimitRange;
    case Shape::ReplicaJobSpec:
      return kReplicaJobSpec;
    case Shape::RunPolicy:
      return kRunPolicy;
    case Shape::SchedulingPolicy:
      return kSchedulingPolicy;
    case Shape::ElasticPolicy:
      return kElasticPolicy;
    case Shape::ReplicaSpecs:
      return kReplicaSpecs;
    case Shape::ReplicaSpec:
      return kReplicaSpec;
    case Shape::TrainJobSpec:
      return kTrainJobSpec;
    case Shape::RuntimeRef:
      return kRuntimeRef;
    case Shape::Trainer:
      return kTrainer;
    case Shape::PodOverride:
      return kPodOverride;
    case Shape::RuntimeSpec:
      return kRuntimeSpec;
    case Shape::JobSetTemplate:
      return kJobSetTemplate;
    case Shape::JobSetSpec:
      return kJobSetSpec;
    case Shape::ReplicatedJob:
      return kReplicatedJob;
    case Shape::VolcanoJobSpec:
      return kVolcanoJobSpec;
    case Shape::VolcanoTask:
      return kVolcanoTask;
    case Shape::VolcanoPolicy:
      return kVolcanoPolicy;
    case Shape::VolcanoQueueSpec:
      return kVolcanoQueueSpec;
    case Shape::VolcanoGuarantee:
      return kVolcanoGuarantee;
    case Shape::PodGroupSpec:
      return kPodGroupSpec;
    case Shape::ClusterQueueSpec:
      return kClusterQueueSpec;
    case Shape::ResourceGroup:
      return kResourceGroup;
    case Shape::FlavorQuotas:
      return kFlavorQuotas;
    case Shape::FlavorQuota:
      return kFlavorQuota;
    case Shape::LocalQueueSpec:
      return kLocalQueueSpec;
    case Shape::FlavorSpec:
      return kFlavorSpec;
    case Shape::KaiQueueSpec:
      return kKaiQueueSpec;
    case Shape::KaiResources:
      return kKaiResources;
    case Shape::KaiShare:
      return kKaiShare;
    case Shape::RayClusterSpec:
      return kRayClusterSpec;
    case Shape::RayGroup:
      return kRayGroup;
    case Shape::RayJobSpec:
      return kRayJobSpec;
    case Shape::RayServiceSpec:
      return kRayServiceSpec;
    case Shape::LwsSpec:
      return kLwsSpec;
    case Shape::LwsTemplate:
      return kLwsTemplate;
    case Shape::Kustomization:
      return kKustomization;
    case Shape::TrainingJobSpec:
      return kTrainingJobSpec;
  }
  return {};
}

}  // namespace trainyard
