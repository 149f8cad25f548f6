#include "emit/shape.h"

namespace trainyard {
namespace {

// The order in which people write the fields of each shape: what a reader asks first (what is it,
// how many, where) before what is long (templates, containers, volumes). The field names are those
// of kubernetes/api and of the projects' CRDs.

constexpr ShapedField kGeneric[] = {{"apiVersion"},
                                    {"kind"},
                                    {"name"},
                                    {"namespace"},
                                    {"type"},
                                    {"metadata", FieldShape::Metadata},
                                    {"labels", FieldShape::UserMap},
                                    {"annotations", FieldShape::UserMap},
                                    {"nodeSelector", FieldShape::UserMap},
                                    {"tolerations", FieldShape::Toleration},
                                    {"affinity", FieldShape::Affinity},
                                    {"env", FieldShape::EnvVar},
                                    {"envFrom", FieldShape::EnvFrom},
                                    {"resources", FieldShape::Resources},
                                    {"requests", FieldShape::ResourceList},
                                    {"limits", FieldShape::ResourceList},
                                    {"sizeLimit", FieldShape::Quantity},
                                    {"defaultMode", FieldShape::Mode},
                                    {"volumeMounts", FieldShape::VolumeMount},
                                    {"volumes", FieldShape::Volume}};
constexpr ShapedField kResourceList[] = {{"cpu", FieldShape::Quantity},
                                         {"memory", FieldShape::Quantity},
                                         {"ephemeral-storage", FieldShape::Quantity},
                                         {"storage", FieldShape::Quantity}};
constexpr ShapedField kObject[] = {{"apiVersion"},
                                   {"kind"},
                                   {"metadata", FieldShape::Metadata},
                                   {"immutable"},
                                   {"type"},
                                   {"spec"},
                                   {"masterSpec", FieldShape::RunaiSpec},
                                   {"data", FieldShape::UserMap},
                                   {"binaryData", FieldShape::UserMap},
                                   {"stringData", FieldShape::UserMap},
                                   {"items"}};
constexpr ShapedField kMetadata[] = {{"name"},
                                     {"generateName"},
                                     {"namespace"},
                                     {"labels", FieldShape::UserMap},
                                     {"annotations", FieldShape::UserMap},
                                     {"ownerReferences", FieldShape::ObjectReference},
                                     {"finalizers"}};
constexpr ShapedField kObjectReference[] = {{"apiVersion"}, {"apiGroup"},   {"kind"},
                                            {"name"},       {"namespace"},  {"fieldPath"},
                                            {"uid"},        {"controller"}, {"blockOwnerDeletion"}};
constexpr ShapedField kLabelSelector[] = {{"matchLabels", FieldShape::UserMap},
                                          {"matchExpressions", FieldShape::Requirement}};
constexpr ShapedField kRequirement[] = {{"key"}, {"operator"}, {"values"}};
constexpr ShapedField kPodTemplate[] = {{"metadata", FieldShape::Metadata},
                                        {"spec", FieldShape::PodSpec}};
constexpr ShapedField kPodSpec[] = {{"schedulerName"},
                                    {"schedulingGroup"},
                                    {"workloadRef"},
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
                                    {"dnsConfig", FieldShape::DnsConfig},
                                    {"hostAliases", FieldShape::HostAlias},
                                    {"nodeName"},
                                    {"nodeSelector", FieldShape::UserMap},
                                    {"affinity", FieldShape::Affinity},
                                    {"tolerations", FieldShape::Toleration},
                                    {"topologySpreadConstraints", FieldShape::TopologySpread},
                                    {"schedulingGates"},
                                    {"readinessGates"},
                                    {"os"},
                                    {"securityContext", FieldShape::PodSecurityContext},
                                    {"imagePullSecrets"},
                                    {"resourceClaims", FieldShape::ResourceClaim},
                                    {"resources", FieldShape::Resources},
                                    {"overhead", FieldShape::ResourceList},
                                    {"initContainers", FieldShape::Container},
                                    {"containers", FieldShape::Container},
                                    {"ephemeralContainers", FieldShape::Container},
                                    {"volumes", FieldShape::Volume}};
constexpr ShapedField kDnsConfig[] = {
    {"nameservers"}, {"searches"}, {"options", FieldShape::NameValue}};
constexpr ShapedField kNameValue[] = {{"name"}, {"value"}};
constexpr ShapedField kHostAlias[] = {{"ip"}, {"hostnames"}};
constexpr ShapedField kResourceClaim[] = {
    {"name"}, {"resourceClaimName"}, {"resourceClaimTemplateName"}, {"request"}};
constexpr ShapedField kContainer[] = {{"name"},
                                      {"image"},
                                      {"imagePullPolicy"},
                                      {"restartPolicy"},
                                      {"restartPolicyRules"},
                                      {"command"},
                                      {"args"},
                                      {"workingDir"},
                                      {"ports", FieldShape::ContainerPort},
                                      {"envFrom", FieldShape::EnvFrom},
                                      {"env", FieldShape::EnvVar},
                                      {"resources", FieldShape::Resources},
                                      {"resizePolicy", FieldShape::ResizePolicy},
                                      {"volumeMounts", FieldShape::VolumeMount},
                                      {"volumeDevices", FieldShape::VolumeDevice},
                                      {"startupProbe", FieldShape::Probe},
                                      {"livenessProbe", FieldShape::Probe},
                                      {"readinessProbe", FieldShape::Probe},
                                      {"lifecycle", FieldShape::Lifecycle},
                                      {"terminationMessagePath"},
                                      {"terminationMessagePolicy"},
                                      {"securityContext", FieldShape::SecurityContext},
                                      {"stdin"},
                                      {"stdinOnce"},
                                      {"tty"}};
constexpr ShapedField kContainerPort[] = {
    {"name"}, {"containerPort"}, {"hostPort"}, {"hostIP"}, {"protocol"}};
constexpr ShapedField kEnvVar[] = {{"name"}, {"value"}, {"valueFrom", FieldShape::EnvSource}};
constexpr ShapedField kEnvSource[] = {{"fieldRef", FieldShape::FieldRef},
                                      {"resourceFieldRef", FieldShape::ResourceFieldRef},
                                      {"configMapKeyRef", FieldShape::KeyRef},
                                      {"secretKeyRef", FieldShape::KeyRef},
                                      {"fileKeyRef", FieldShape::FileKeyRef}};
constexpr ShapedField kFieldRef[] = {{"apiVersion"}, {"fieldPath"}};
constexpr ShapedField kResourceFieldRef[] = {
    {"containerName"}, {"resource"}, {"divisor", FieldShape::Quantity}};
constexpr ShapedField kKeyRef[] = {{"name"}, {"key"}, {"optional"}};
constexpr ShapedField kFileKeyRef[] = {{"volumeName"}, {"path"}, {"key"}, {"optional"}};
constexpr ShapedField kEnvFrom[] = {
    {"prefix"}, {"configMapRef", FieldShape::KeyRef}, {"secretRef", FieldShape::KeyRef}};
constexpr ShapedField kResources[] = {{"requests", FieldShape::ResourceList},
                                      {"limits", FieldShape::ResourceList},
                                      {"claims", FieldShape::ResourceClaim}};
constexpr ShapedField kResizePolicy[] = {{"resourceName"}, {"restartPolicy"}};
constexpr ShapedField kVolumeMount[] = {
    {"name"},     {"mountPath"},         {"subPath"},         {"subPathExpr"},
    {"readOnly"}, {"recursiveReadOnly"}, {"mountPropagation"}};
constexpr ShapedField kVolumeDevice[] = {{"name"}, {"devicePath"}};
constexpr ShapedField kProbe[] = {{"exec"},
                                  {"httpGet", FieldShape::HttpGet},
                                  {"tcpSocket", FieldShape::HttpGet},
                                  {"grpc"},
                                  {"initialDelaySeconds"},
                                  {"periodSeconds"},
                                  {"timeoutSeconds"},
                                  {"successThreshold"},
                                  {"failureThreshold"},
                                  {"terminationGracePeriodSeconds"}};
constexpr ShapedField kHttpGet[] = {
    {"scheme"}, {"host"}, {"port"}, {"path"}, {"httpHeaders", FieldShape::NameValue}};
constexpr ShapedField kLifecycle[] = {
    {"stopSignal"}, {"postStart", FieldShape::Probe}, {"preStop", FieldShape::Probe}};
constexpr ShapedField kSecurityContext[] = {{"privileged"},
                                            {"allowPrivilegeEscalation"},
                                            {"runAsUser"},
                                            {"runAsGroup"},
                                            {"runAsNonRoot"},
                                            {"readOnlyRootFilesystem"},
                                            {"capabilities", FieldShape::Capabilities},
                                            {"seccompProfile", FieldShape::Profile},
                                            {"appArmorProfile", FieldShape::Profile},
                                            {"seLinuxOptions"},
                                            {"procMount"},
                                            {"windowsOptions"}};
constexpr ShapedField kPodSecurityContext[] = {{"runAsUser"},
                                               {"runAsGroup"},
                                               {"runAsNonRoot"},
                                               {"fsGroup"},
                                               {"fsGroupChangePolicy"},
                                               {"supplementalGroups"},
                                               {"supplementalGroupsPolicy"},
                                               {"seccompProfile", FieldShape::Profile},
                                               {"appArmorProfile", FieldShape::Profile},
                                               {"seLinuxOptions"},
                                               {"seLinuxChangePolicy"},
                                               {"sysctls", FieldShape::NameValue},
                                               {"windowsOptions"}};
constexpr ShapedField kCapabilities[] = {{"add"}, {"drop"}};
constexpr ShapedField kProfile[] = {{"type"}, {"localhostProfile"}};
constexpr ShapedField kVolume[] = {{"name"},
                                   {"configMap", FieldShape::FilesVolume},
                                   {"secret", FieldShape::FilesVolume},
                                   {"projected", FieldShape::Projected},
                                   {"downwardAPI", FieldShape::FilesVolume},
                                   {"emptyDir", FieldShape::EmptyDir},
                                   {"persistentVolumeClaim", FieldShape::ClaimVolume},
                                   {"ephemeral", FieldShape::Ephemeral},
                                   {"hostPath", FieldShape::HostPath},
                                   {"nfs", FieldShape::Nfs},
                                   {"csi", FieldShape::Csi},
                                   {"image", FieldShape::ImageVolume}};
constexpr ShapedField kFilesVolume[] = {{"name"},
                                        {"secretName"},
                                        {"optional"},
                                        {"defaultMode", FieldShape::Mode},
                                        {"items", FieldShape::FileItem}};
constexpr ShapedField kFileItem[] = {{"key"},
                                     {"path"},
                                     {"fieldRef", FieldShape::FieldRef},
                                     {"resourceFieldRef", FieldShape::ResourceFieldRef},
                                     {"mode", FieldShape::Mode}};
constexpr ShapedField kProjected[] = {{"defaultMode", FieldShape::Mode},
                                      {"sources", FieldShape::Projection}};
constexpr ShapedField kProjection[] = {{"configMap", FieldShape::FilesVolume},
                                       {"secret", FieldShape::FilesVolume},
                                       {"downwardAPI", FieldShape::FilesVolume},
                                       {"serviceAccountToken", FieldShape::Token},
                                       {"clusterTrustBundle"},
                                       {"podCertificate"}};
constexpr ShapedField kToken[] = {{"audience"}, {"expirationSeconds"}, {"path"}};
constexpr ShapedField kEmptyDir[] = {{"medium"}, {"sizeLimit", FieldShape::Quantity}};
constexpr ShapedField kClaimVolume[] = {{"claimName"}, {"readOnly"}};
constexpr ShapedField kEphemeral[] = {{"volumeClaimTemplate", FieldShape::ClaimTemplate}};
constexpr ShapedField kClaimTemplate[] = {
    {"apiVersion"}, {"kind"}, {"metadata", FieldShape::Metadata}, {"spec", FieldShape::ClaimSpec}};
constexpr ShapedField kHostPath[] = {{"path"}, {"type"}};
constexpr ShapedField kNfs[] = {{"server"}, {"path"}, {"readOnly"}};
constexpr ShapedField kCsi[] = {
    {"driver"},   {"volumeHandle"},         {"fsType"},
    {"readOnly"}, {"nodePublishSecretRef"}, {"volumeAttributes", FieldShape::UserMap}};
constexpr ShapedField kImageVolume[] = {{"reference"}, {"pullPolicy"}};
constexpr ShapedField kAffinity[] = {{"nodeAffinity", FieldShape::NodeAffinity},
                                     {"podAffinity", FieldShape::PodAffinity},
                                     {"podAntiAffinity", FieldShape::PodAffinity}};
constexpr ShapedField kNodeAffinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", FieldShape::NodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", FieldShape::PreferredNodes}};
constexpr ShapedField kNodeSelector[] = {{"nodeSelectorTerms", FieldShape::NodeTerm}};
constexpr ShapedField kNodeTerm[] = {{"matchExpressions", FieldShape::Requirement},
                                     {"matchFields", FieldShape::Requirement}};
constexpr ShapedField kPreferredNodes[] = {{"weight"}, {"preference", FieldShape::NodeTerm}};
constexpr ShapedField kPodAffinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", FieldShape::PodTerm},
    {"preferredDuringSchedulingIgnoredDuringExecution", FieldShape::PreferredPods}};
constexpr ShapedField kPodTerm[] = {
    {"labelSelector", FieldShape::LabelSelector},     {"matchLabelKeys"}, {"mismatchLabelKeys"},
    {"namespaceSelector", FieldShape::LabelSelector}, {"namespaces"},     {"topologyKey"}};
constexpr ShapedField kPreferredPods[] = {{"weight"}, {"podAffinityTerm", FieldShape::PodTerm}};
constexpr ShapedField kToleration[] = {
    {"key"}, {"operator"}, {"value"}, {"effect"}, {"tolerationSeconds"}};
constexpr ShapedField kTopologySpread[] = {{"maxSkew"},
                                           {"minDomains"},
                                           {"topologyKey"},
                                           {"whenUnsatisfiable"},
                                           {"labelSelector", FieldShape::LabelSelector},
                                           {"matchLabelKeys"},
                                           {"nodeAffinityPolicy"},
                                           {"nodeTaintsPolicy"}};
constexpr ShapedField kTaint[] = {{"key"}, {"value"}, {"effect"}, {"timeAdded"}};
constexpr ShapedField kJobSpec[] = {{"suspend"},
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
                                    {"podFailurePolicy", FieldShape::PodFailurePolicy},
                                    {"successPolicy", FieldShape::SuccessPolicy},
                                    {"manualSelector"},
                                    {"selector", FieldShape::LabelSelector},
                                    {"template", FieldShape::PodTemplate}};
constexpr ShapedField kJobTemplate[] = {{"metadata", FieldShape::Metadata},
                                        {"spec", FieldShape::JobSpec}};
constexpr ShapedField kPodFailurePolicy[] = {{"rules", FieldShape::PodFailureRule}};
constexpr ShapedField kPodFailureRule[] = {{"action"},
                                           {"onExitCodes", FieldShape::ExitCodes},
                                           {"onPodConditions", FieldShape::PodCondition}};
constexpr ShapedField kExitCodes[] = {{"containerName"}, {"operator"}, {"values"}};
constexpr ShapedField kPodCondition[] = {{"type"}, {"status"}};
constexpr ShapedField kSuccessPolicy[] = {{"rules", FieldShape::SuccessRule}};
constexpr ShapedField kSuccessRule[] = {{"succeededIndexes"}, {"succeededCount"}};
constexpr ShapedField kCronJobSpec[] = {{"schedule"},
                                        {"timeZone"},
                                        {"suspend"},
                                        {"concurrencyPolicy"},
                                        {"startingDeadlineSeconds"},
                                        {"successfulJobsHistoryLimit"},
                                        {"failedJobsHistoryLimit"},
                                        {"jobTemplate", FieldShape::JobTemplate}};
constexpr ShapedField kWorkloadSpec[] = {{"serviceName"},
                                         {"replicas"},
                                         {"minReadySeconds"},
                                         {"paused"},
                                         {"progressDeadlineSeconds"},
                                         {"podManagementPolicy"},
                                         {"revisionHistoryLimit"},
                                         {"selector", FieldShape::LabelSelector},
                                         {"strategy", FieldShape::Strategy},
                                         {"updateStrategy", FieldShape::Strategy},
                                         {"ordinals"},
                                         {"persistentVolumeClaimRetentionPolicy"},
                                         {"template", FieldShape::PodTemplate},
                                         {"volumeClaimTemplates", FieldShape::ClaimTemplate}};
constexpr ShapedField kStrategy[] = {{"type"}, {"rollingUpdate"}};
constexpr ShapedField kServiceSpec[] = {{"type"},
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
                                        {"selector", FieldShape::UserMap},
                                        {"ports", FieldShape::ServicePort}};
constexpr ShapedField kServicePort[] = {{"name"}, {"protocol"},   {"appProtocol"},
                                        {"port"}, {"targetPort"}, {"nodePort"}};
constexpr ShapedField kConfigMap[] = {{"apiVersion"},
                                      {"kind"},
                                      {"metadata", FieldShape::Metadata},
                                      {"immutable"},
                                      {"data", FieldShape::UserMap},
                                      {"binaryData", FieldShape::UserMap}};
constexpr ShapedField kSecret[] = {{"apiVersion"},
                                   {"kind"},
                                   {"metadata", FieldShape::Metadata},
                                   {"type"},
                                   {"immutable"},
                                   {"data", FieldShape::UserMap},
                                   {"stringData", FieldShape::UserMap}};
constexpr ShapedField kClaimSpec[] = {{"accessModes"},
                                      {"storageClassName"},
                                      {"volumeMode"},
                                      {"volumeName"},
                                      {"volumeAttributesClassName"},
                                      {"selector", FieldShape::LabelSelector},
                                      {"resources", FieldShape::Resources},
                                      {"dataSource", FieldShape::ObjectReference},
                                      {"dataSourceRef", FieldShape::ObjectReference}};
constexpr ShapedField kVolumeSpec[] = {{"capacity", FieldShape::ResourceList},
                                       {"accessModes"},
                                       {"storageClassName"},
                                       {"volumeMode"},
                                       {"persistentVolumeReclaimPolicy"},
                                       {"mountOptions"},
                                       {"claimRef", FieldShape::ObjectReference},
                                       {"nodeAffinity"},
                                       {"csi", FieldShape::Csi},
                                       {"nfs", FieldShape::Nfs},
                                       {"hostPath", FieldShape::HostPath},
                                       {"local"}};
constexpr ShapedField kDeviceClaimTemplate[] = {{"metadata", FieldShape::Metadata},
                                                {"spec", FieldShape::DeviceClaimSpec}};
constexpr ShapedField kDeviceClaimSpec[] = {{"devices", FieldShape::DeviceClaim}};
constexpr ShapedField kDeviceClaim[] = {
    {"requests", FieldShape::DeviceRequest}, {"constraints"}, {"config"}};
constexpr ShapedField kDeviceRequest[] = {
    {"name"}, {"exactly", FieldShape::ExactDevices}, {"firstAvailable", FieldShape::ExactDevices}};
constexpr ShapedField kExactDevices[] = {{"name"},           {"deviceClassName"}, {"selectors"},
                                         {"allocationMode"}, {"count"},           {"adminAccess"}};
constexpr ShapedField kComputeDomainSpec[] = {{"numNodes"}, {"channel"}};
constexpr ShapedField kStorageClass[] = {{"apiVersion"},
                                         {"kind"},
                                         {"metadata", FieldShape::Metadata},
                                         {"provisioner"},
                                         {"parameters", FieldShape::UserMap},
                                         {"reclaimPolicy"},
                                         {"volumeBindingMode"},
                                         {"allowVolumeExpansion"},
                                         {"mountOptions"},
                                         {"allowedTopologies"}};
constexpr ShapedField kServiceAccount[] = {{"apiVersion"},
                                           {"kind"},
                                           {"metadata", FieldShape::Metadata},
                                           {"automountServiceAccountToken"},
                                           {"imagePullSecrets"},
                                           {"secrets"}};
constexpr ShapedField kRole[] = {{"apiVersion"},
                                 {"kind"},
                                 {"metadata", FieldShape::Metadata},
                                 {"aggregationRule"},
                                 {"rules", FieldShape::PolicyRule}};
constexpr ShapedField kPolicyRule[] = {
    {"apiGroups"}, {"resources"}, {"resourceNames"}, {"nonResourceURLs"}, {"verbs"}};
constexpr ShapedField kRoleBinding[] = {{"apiVersion"},
                                        {"kind"},
                                        {"metadata", FieldShape::Metadata},
                                        {"roleRef", FieldShape::RoleRef},
                                        {"subjects", FieldShape::Subject}};
constexpr ShapedField kRoleRef[] = {{"apiGroup"}, {"kind"}, {"name"}};
constexpr ShapedField kSubject[] = {{"kind"}, {"name"}, {"namespace"}, {"apiGroup"}};
constexpr ShapedField kPriorityClass[] = {
    {"apiVersion"}, {"kind"},          {"metadata", FieldShape::Metadata},
    {"value"},      {"globalDefault"}, {"preemptionPolicy"},
    {"description"}};
constexpr ShapedField kNetworkPolicySpec[] = {{"podSelector", FieldShape::LabelSelector},
                                              {"policyTypes"},
                                              {"ingress", FieldShape::NetworkRule},
                                              {"egress", FieldShape::NetworkRule}};
constexpr ShapedField kNetworkRule[] = {{"from", FieldShape::NetworkPeer},
                                        {"to", FieldShape::NetworkPeer},
                                        {"ports", FieldShape::NetworkPort}};
constexpr ShapedField kNetworkPeer[] = {{"podSelector", FieldShape::LabelSelector},
                                        {"namespaceSelector", FieldShape::LabelSelector},
                                        {"ipBlock"}};
constexpr ShapedField kNetworkPort[] = {{"protocol"}, {"port"}, {"endPort"}};
constexpr ShapedField kDisruptionSpec[] = {{"minAvailable"},
                                           {"maxUnavailable"},
                                           {"selector", FieldShape::LabelSelector},
                                           {"unhealthyPodEvictionPolicy"}};
constexpr ShapedField kQuotaSpec[] = {
    {"hard", FieldShape::ResourceList}, {"scopes"}, {"scopeSelector"}};
constexpr ShapedField kLimitRangeSpec[] = {{"limits", FieldShape::LimitRange}};
constexpr ShapedField kLimitRange[] = {{"type"},
                                       {"default", FieldShape::ResourceList},
                                       {"defaultRequest", FieldShape::ResourceList},
                                       {"min", FieldShape::ResourceList},
                                       {"max", FieldShape::ResourceList},
                                       {"maxLimitRequestRatio", FieldShape::ResourceList}};
constexpr ShapedField kReplicaJobSpec[] = {{"suspend"},
                                           {"managedBy"},
                                           {"mpiImplementation"},
                                           {"slotsPerWorker"},
                                           {"launcherCreationPolicy"},
                                           {"runLauncherAsWorker"},
                                           {"sshAuthMountPath"},
                                           {"enableDynamicWorker"},
                                           {"successPolicy"},
                                           {"nprocPerNode"},
                                           {"runPolicy", FieldShape::RunPolicy},
                                           {"cleanPodPolicy"},
                                           {"elasticPolicy", FieldShape::ElasticPolicy},
                                           {"mainContainer"},
                                           {"pytorchReplicaSpecs", FieldShape::ReplicaSpecs},
                                           {"tfReplicaSpecs", FieldShape::ReplicaSpecs},
                                           {"jaxReplicaSpecs", FieldShape::ReplicaSpecs},
                                           {"xgbReplicaSpecs", FieldShape::ReplicaSpecs},
                                           {"paddleReplicaSpecs", FieldShape::ReplicaSpecs},
                                           {"mpiReplicaSpecs", FieldShape::ReplicaSpecs}};
constexpr ShapedField kRunPolicy[] = {{"suspend"},
                                      {"managedBy"},
                                      {"cleanPodPolicy"},
                                      {"backoffLimit"},
                                      {"activeDeadlineSeconds"},
                                      {"ttlSecondsAfterFinished"},
                                      {"schedulingPolicy", FieldShape::SchedulingPolicy}};
constexpr ShapedField kSchedulingPolicy[] = {{"queue"},
                                             {"priorityClass"},
                                             {"minAvailable"},
                                             {"minResources", FieldShape::ResourceList},
                                             {"scheduleTimeoutSeconds"}};
constexpr ShapedField kElasticPolicy[] = {
    {"minReplicas"}, {"maxReplicas"}, {"maxRestarts"},  {"rdzvBackend"}, {"rdzvHost"}, {"rdzvPort"},
    {"rdzvId"},      {"rdzvConf"},    {"nProcPerNode"}, {"standalone"},  {"metrics"}};
constexpr ShapedField kReplicaSpecs[] = {
    {"Launcher", FieldShape::ReplicaSpec}, {"Chief", FieldShape::ReplicaSpec},
    {"Master", FieldShape::ReplicaSpec},   {"PS", FieldShape::ReplicaSpec},
    {"Worker", FieldShape::ReplicaSpec},   {"Evaluator", FieldShape::ReplicaSpec}};
constexpr ShapedField kReplicaSpec[] = {
    {"replicas"}, {"restartPolicy"}, {"template", FieldShape::PodTemplate}};
constexpr ShapedField kTrainJobSpec[] = {{"suspend"},
                                         {"managedBy"},
                                         {"runtimeRef", FieldShape::RuntimeRef},
                                         {"activeDeadlineSeconds"},
                                         {"initializer"},
                                         {"trainer", FieldShape::Trainer},
                                         {"labels", FieldShape::UserMap},
                                         {"annotations", FieldShape::UserMap},
                                         {"podSpecOverrides", FieldShape::PodOverride},
                                         {"podTemplateOverrides", FieldShape::PodOverride},
                                         {"runtimePatches", FieldShape::RuntimePatch}};
constexpr ShapedField kRuntimeRef[] = {{"apiGroup"}, {"kind"}, {"name"}};
constexpr ShapedField kTrainer[] = {{"image"},
                                    {"command"},
                                    {"args"},
                                    {"env", FieldShape::EnvVar},
                                    {"numNodes"},
                                    {"numProcPerNode"},
                                    {"resourcesPerNode", FieldShape::Resources}};
constexpr ShapedField kPodOverride[] = {
    {"targetJobs"}, {"metadata", FieldShape::Metadata}, {"spec", FieldShape::PodSpec}};
constexpr ShapedField kRuntimePatch[] = {
    {"manager"}, {"time"}, {"trainingRuntimeSpec", FieldShape::RuntimeSpec}};
constexpr ShapedField kRuntimeSpec[] = {{"mlPolicy", FieldShape::MlPolicy},
                                        {"podGroupPolicy"},
                                        {"template", FieldShape::JobSetTemplate}};
constexpr ShapedField kMlPolicy[] = {{"numNodes"}, {"torch"},   {"mpi", FieldShape::MpiPolicy},
                                     {"jax"},      {"xgboost"}, {"flux"}};
constexpr ShapedField kMpiPolicy[] = {
    {"numProcPerNode"}, {"mpiImplementation"}, {"sshAuthMountPath"}, {"runLauncherAsNode"}};
constexpr ShapedField kJobSetTemplate[] = {{"metadata", FieldShape::Metadata},
                                           {"spec", FieldShape::JobSetSpec}};
constexpr ShapedField kJobSetSpec[] = {{"suspend"},
                                       {"managedBy"},
                                       {"ttlSecondsAfterFinished"},
                                       {"network"},
                                       {"startupPolicy"},
                                       {"successPolicy"},
                                       {"failurePolicy"},
                                       {"coordinator"},
                                       {"volumeClaimPolicies"},
                                       {"replicatedJobs", FieldShape::ReplicatedJob}};
constexpr ShapedField kReplicatedJob[] = {
    {"name"}, {"groupName"}, {"replicas"}, {"dependsOn"}, {"template", FieldShape::JobTemplate}};
constexpr ShapedField kVolcanoJobSpec[] = {{"schedulerName"},
                                           {"queue"},
                                           {"priorityClassName"},
                                           {"minAvailable"},
                                           {"minSuccess"},
                                           {"maxRetry"},
                                           {"ttlSecondsAfterFinished"},
                                           {"runningEstimate"},
                                           {"networkTopology"},
                                           {"plugins"},
                                           {"policies", FieldShape::VolcanoPolicy},
                                           {"volumes"},
                                           {"tasks", FieldShape::VolcanoTask}};
constexpr ShapedField kVolcanoTask[] = {
    {"name"},           {"replicas"},        {"minAvailable"},
    {"maxRetry"},       {"dependsOn"},       {"policies", FieldShape::VolcanoPolicy},
    {"topologyPolicy"}, {"partitionPolicy"}, {"template", FieldShape::PodTemplate}};
constexpr ShapedField kVolcanoPolicy[] = {
    {"event"}, {"events"}, {"exitCode"}, {"action"}, {"timeout"}};
constexpr ShapedField kVolcanoQueueSpec[] = {{"parent"},
                                             {"type"},
                                             {"weight"},
                                             {"priority"},
                                             {"reclaimable"},
                                             {"capability", FieldShape::ResourceList},
                                             {"deserved", FieldShape::ResourceList},
                                             {"guarantee", FieldShape::VolcanoGuarantee},
                                             {"affinity"}};
constexpr ShapedField kVolcanoGuarantee[] = {{"resource", FieldShape::ResourceList}};
constexpr ShapedField kPodGroupSpec[] = {{"queue"},
                                         {"priorityClassName"},
                                         {"minMember"},
                                         {"minTaskMember"},
                                         {"minResources", FieldShape::ResourceList},
                                         {"scheduleTimeoutSeconds"},
                                         {"networkTopology"}};
constexpr ShapedField kHyperNodeSpec[] = {{"tier"}, {"tierName"}, {"members"}};
constexpr ShapedField kClusterQueueSpec[] = {{"cohort"},
                                             {"cohortName"},
                                             {"namespaceSelector", FieldShape::LabelSelector},
                                             {"queueingStrategy"},
                                             {"stopPolicy"},
                                             {"flavorFungibility"},
                                             {"preemption"},
                                             {"fairSharing"},
                                             {"admissionChecks"},
                                             {"admissionChecksStrategy"},
                                             {"resourceGroups", FieldShape::ResourceGroup}};
constexpr ShapedField kResourceGroup[] = {{"coveredResources"},
                                          {"flavors", FieldShape::FlavorQuotas}};
constexpr ShapedField kFlavorQuotas[] = {{"name"}, {"resources", FieldShape::FlavorQuota}};
constexpr ShapedField kFlavorQuota[] = {{"name"},
                                        {"nominalQuota", FieldShape::Quantity},
                                        {"borrowingLimit", FieldShape::Quantity},
                                        {"lendingLimit", FieldShape::Quantity}};
constexpr ShapedField kLocalQueueSpec[] = {{"clusterQueue"}, {"stopPolicy"}, {"fairSharing"}};
constexpr ShapedField kFlavorSpec[] = {{"nodeLabels", FieldShape::UserMap},
                                       {"nodeTaints", FieldShape::Taint},
                                       {"tolerations", FieldShape::Toleration},
                                       {"topologyName"}};
constexpr ShapedField kNimServiceSpec[] = {{"inferencePlatform"},
                                           {"labels", FieldShape::UserMap},
                                           {"annotations", FieldShape::UserMap},
                                           {"image", FieldShape::NimImage},
                                           {"command"},
                                           {"args"},
                                           {"authSecret"},
                                           {"env", FieldShape::EnvVar},
                                           {"storage", FieldShape::NimStorage},
                                           {"replicas"},
                                           {"scale", FieldShape::NimScale},
                                           {"multiNode"},
                                           {"resources", FieldShape::Resources},
                                           {"draResources"},
                                           {"expose", FieldShape::NimExposure},
                                           {"metrics"},
                                           {"schedulerName"},
                                           {"priorityClassName"},
                                           {"runtimeClassName"},
                                           {"nodeSelector", FieldShape::UserMap},
                                           {"affinity", FieldShape::Affinity},
                                           {"tolerations", FieldShape::Toleration},
                                           {"userID"},
                                           {"groupID"}};
constexpr ShapedField kNimCacheSpec[] = {{"source", FieldShape::NimSources},
                                         {"storage", FieldShape::NimStorage},
                                         {"resources", FieldShape::ResourceList},
                                         {"env", FieldShape::EnvVar},
                                         {"runtimeClassName"},
                                         {"nodeSelector", FieldShape::UserMap},
                                         {"tolerations", FieldShape::Toleration},
                                         {"userID"},
                                         {"groupID"}};
constexpr ShapedField kNimSources[] = {{"ngc", FieldShape::NimSource},
                                       {"hf", FieldShape::NimSource},
                                       {"dataStore", FieldShape::NimSource}};
constexpr ShapedField kNimSource[] = {
    {"endpoint"},      {"namespace"}, {"modelName"},  {"datasetName"}, {"revision"},
    {"modelEndpoint"}, {"model"},     {"authSecret"}, {"modelPuller"}, {"pullSecret"}};
constexpr ShapedField kNimStorage[] = {
    {"nimCache"}, {"pvc", FieldShape::NimClaim},
    {"emptyDir"}, {"hostPath"},
    {"readOnly"}, {"sharedMemorySizeLimit", FieldShape::Quantity}};
constexpr ShapedField kNimClaim[] = {{"create"},
                                     {"name"},
                                     {"subPath"},
                                     {"size"},
                                     {"storageClass"},
                                     {"volumeAccessMode"},
                                     {"annotations", FieldShape::UserMap}};
constexpr ShapedField kNimScale[] = {{"enabled"}, {"hpa"}};
constexpr ShapedField kNimExposure[] = {{"service"}, {"router"}, {"ingress"}};
constexpr ShapedField kNimImage[] = {{"repository"}, {"tag"}, {"pullPolicy"}, {"pullSecrets"}};
constexpr ShapedField kNemoJobSpec[] = {{"ttlSecondsAfterFinished"},
                                        {"pvc", FieldShape::NemoClaim},
                                        {"source", FieldShape::NemoSource},
                                        {"trainingWorkload", FieldShape::NemoWorkload},
                                        {"output", FieldShape::NemoOutput}};
constexpr ShapedField kNemoClaim[] = {
    {"create"},           {"name"},      {"size", FieldShape::Quantity}, {"storageClass"},
    {"volumeAccessMode"}, {"mountPoint"}};
constexpr ShapedField kNemoSource[] = {
    {"basePath"}, {"additionalEnvVars", FieldShape::EnvVar}, {"entities", FieldShape::NemoEntity}};
constexpr ShapedField kNemoEntity[] = {{"name"},
                                       {"type"},
                                       {"path"},
                                       {"checkpointName"},
                                       {"exportPathToEnv"},
                                       {"handlerRef", FieldShape::ObjectReference},
                                       {"additionalEnvVars", FieldShape::EnvVar}};
constexpr ShapedField kNemoOutput[] = {{"entity", FieldShape::NemoEntity}, {"wandbKey"}};
constexpr ShapedField kNemoWorkload[] = {{"trainerRef", FieldShape::ObjectReference},
                                         {"trainerOverrides", FieldShape::NemoTrainer}};
constexpr ShapedField kNemoTrainer[] = {{"distributedFramework"},
                                        {"numNodes"},
                                        {"resourceGroup"},
                                        {"leaderSpec", FieldShape::NemoTrainerSpec},
                                        {"spec", FieldShape::NemoTrainerSpec}};
constexpr ShapedField kNemoTrainerSpec[] = {{"annotations", FieldShape::UserMap},
                                            {"name"},
                                            {"image"},
                                            {"imagePullSecrets", FieldShape::ObjectReference},
                                            {"command"},
                                            {"args"},
                                            {"workingDir"},
                                            {"env", FieldShape::EnvVar},
                                            {"resources", FieldShape::Resources},
                                            {"volumeMounts", FieldShape::VolumeMount},
                                            {"restartPolicy"},
                                            {"securityContext", FieldShape::PodSecurityContext},
                                            {"nodeSelector", FieldShape::UserMap},
                                            {"tolerations", FieldShape::Toleration},
                                            {"volumes", FieldShape::Volume}};
constexpr ShapedField kNemoHandlerSpec[] = {
    {"type"}, {"image", FieldShape::NemoHandler}, {"resources", FieldShape::ResourceList}};
constexpr ShapedField kNemoHandler[] = {{"image"},
                                        {"pullSecret"},
                                        {"customCommand"},
                                        {"arguments"},
                                        {"additionalEnvVars", FieldShape::EnvVar},
                                        {"volumeMounts", FieldShape::VolumeMount},
                                        {"securityContext", FieldShape::PodSecurityContext},
                                        {"nodeSelector", FieldShape::UserMap},
                                        {"tolerations", FieldShape::Toleration},
                                        {"volumes", FieldShape::Volume}};
constexpr ShapedField kRunaiSpec[] = {{"usage"},
                                      {"baseWorkload"},
                                      {"name"},
                                      {"namePrefix"},
                                      {"username"},
                                      {"userId"},
                                      {"jobType"},
                                      {"workers"},
                                      {"pyTorchJob"},
                                      {"mpiJob"},
                                      {"runPolicy"},
                                      {"nonPreemptible"},
                                      {"mpi"},
                                      {"processes"},
                                      {"slotsPerWorker"},
                                      {"completions"},
                                      {"parallelism"},
                                      {"active"},
                                      {"image"},
                                      {"imagePullPolicy"},
                                      {"command"},
                                      {"arguments"},
                                      {"workingDir"},
                                      {"stdin"},
                                      {"tty"},
                                      {"gpu"},
                                      {"gpuDevices"},
                                      {"gpuMemory"},
                                      {"gpuLimit"},
                                      {"migProfile"},
                                      {"cpu"},
                                      {"cpuLimit"},
                                      {"memory"},
                                      {"memoryLimit"},
                                      {"largeShm"},
                                      {"extendedResources"},
                                      {"nodePools"},
                                      {"nodePool"},
                                      {"nodeType"},
                                      {"podAffinity"},
                                      {"podAffinitySchedulingRule"},
                                      {"podAffinityTopology"},
                                      {"tolerations"},
                                      {"preemptionLimit"},
                                      {"terminateAfterPreemption"},
                                      {"backoffLimit"},
                                      {"autoDeletionTimeAfterCompletionSeconds"},
                                      {"terminationGracePeriodSeconds"},
                                      {"environment"},
                                      {"labels"},
                                      {"annotations"},
                                      {"hostNetwork"},
                                      {"hostIpc"},
                                      {"serviceType"},
                                      {"ports"},
                                      {"exposedUrls"},
                                      {"runAsUser"},
                                      {"runAsUid"},
                                      {"runAsGid"},
                                      {"supplementalGroups"},
                                      {"runAsNonRoot"},
                                      {"allowPrivilegeEscalation"},
                                      {"capabilities"},
                                      {"seccompProfileType"},
                                      {"createHomeDir"},
                                      {"pvcs"},
                                      {"nfs"},
                                      {"volumes"},
                                      {"mountPropagation"},
                                      {"configMapVolumes"},
                                      {"secretVolumes"},
                                      {"emptyDirVolumes"},
                                      {"gitSync"},
                                      {"s3"}};
constexpr ShapedField kKaiQueueSpec[] = {
    {"displayName"}, {"parentQueue"}, {"priority"}, {"resources", FieldShape::KaiResources}};
constexpr ShapedField kKaiResources[] = {
    {"gpu", FieldShape::KaiShare}, {"cpu", FieldShape::KaiShare}, {"memory", FieldShape::KaiShare}};
constexpr ShapedField kKaiShare[] = {{"quota"}, {"limit"}, {"overQuotaWeight"}};
constexpr ShapedField kGkeParameters[] = {
    {"vpc"}, {"vpcSubnet"}, {"podIPv4Ranges"}, {"deviceMode"}, {"networkAttachment"}};
constexpr ShapedField kGkeNetworkSpec[] = {
    {"type"}, {"provider"}, {"parametersRef", FieldShape::TypedReference}};
constexpr ShapedField kTypedReference[] = {{"group"}, {"kind"}, {"name"}, {"namespace"}};
constexpr ShapedField kGpuPolicySpec[] = {
    {"operator"}, {"daemonsets"},   {"driver"},     {"toolkit"},
    {"cdi"},      {"mig"},          {"migManager"}, {"devicePlugin"},
    {"dcgm"},     {"dcgmExporter"}, {"gfd"},        {"nodeStatusExporter"}};
constexpr ShapedField kRayClusterSpec[] = {{"rayVersion"},
                                           {"suspend"},
                                           {"managedBy"},
                                           {"enableInTreeAutoscaling"},
                                           {"autoscalerOptions"},
                                           {"gcsFaultToleranceOptions"},
                                           {"headServiceAnnotations", FieldShape::UserMap},
                                           {"headGroupSpec", FieldShape::RayGroup},
                                           {"workerGroupSpecs", FieldShape::RayGroup}};
constexpr ShapedField kRayGroup[] = {{"groupName"},
                                     {"suspend"},
                                     {"replicas"},
                                     {"minReplicas"},
                                     {"maxReplicas"},
                                     {"numOfHosts"},
                                     {"idleTimeoutSeconds"},
                                     {"serviceType"},
                                     {"enableIngress"},
                                     {"headService"},
                                     {"rayStartParams", FieldShape::UserMap},
                                     {"resources", FieldShape::UserMap},
                                     {"labels", FieldShape::UserMap},
                                     {"scaleStrategy"},
                                     {"template", FieldShape::PodTemplate}};
constexpr ShapedField kRayJobSpec[] = {{"suspend"},
                                       {"managedBy"},
                                       {"submissionMode"},
                                       {"entrypoint"},
                                       {"entrypointNumCpus"},
                                       {"entrypointNumGpus"},
                                       {"entrypointResources"},
                                       {"runtimeEnvYAML"},
                                       {"jobId"},
                                       {"metadata", FieldShape::UserMap},
                                       {"backoffLimit"},
                                       {"activeDeadlineSeconds"},
                                       {"ttlSecondsAfterFinished"},
                                       {"shutdownAfterJobFinishes"},
                                       {"deletionStrategy"},
                                       {"clusterSelector", FieldShape::UserMap},
                                       {"rayClusterSpec", FieldShape::RayClusterSpec},
                                       {"submitterPodTemplate", FieldShape::PodTemplate},
                                       {"submitterConfig"}};
constexpr ShapedField kRayServiceSpec[] = {
    {"serveConfigV2"}, {"serveService"}, {"rayClusterConfig", FieldShape::RayClusterSpec}};
constexpr ShapedField kLwsSpec[] = {{"replicas"},
                                    {"startupPolicy"},
                                    {"rolloutStrategy"},
                                    {"networkConfig"},
                                    {"leaderWorkerTemplate", FieldShape::LwsTemplate}};
constexpr ShapedField kLwsTemplate[] = {{"size"},
                                        {"restartPolicy"},
                                        {"subGroupPolicy"},
                                        {"leaderTemplate", FieldShape::PodTemplate},
                                        {"workerTemplate", FieldShape::PodTemplate},
                                        {"volumeClaimTemplates", FieldShape::ClaimTemplate}};
constexpr ShapedField kKustomization[] = {{"apiVersion"},
                                          {"kind"},
                                          {"metadata", FieldShape::Metadata},
                                          {"namespace"},
                                          {"namePrefix"},
                                          {"nameSuffix"},
                                          {"labels"},
                                          {"commonLabels", FieldShape::UserMap},
                                          {"commonAnnotations", FieldShape::UserMap},
                                          {"resources"},
                                          {"components"},
                                          {"configMapGenerator"},
                                          {"secretGenerator"},
                                          {"generatorOptions"},
                                          {"images"},
                                          {"patches"},
                                          {"replacements"},
                                          {"replicas"}};
constexpr ShapedField kTrainingJobSpec[] = {{"image"},
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

std::span<const ShapedField> fields_of(FieldShape shape) {
  switch (shape) {
    case FieldShape::Generic:
      return kGeneric;
    case FieldShape::Quantity:
    case FieldShape::Mode:
      return {};
    case FieldShape::UserMap:
      return {};
    case FieldShape::ResourceList:
      return kResourceList;
    case FieldShape::Object:
      return kObject;
    case FieldShape::Metadata:
      return kMetadata;
    case FieldShape::ObjectReference:
      return kObjectReference;
    case FieldShape::LabelSelector:
      return kLabelSelector;
    case FieldShape::Requirement:
      return kRequirement;
    case FieldShape::PodTemplate:
      return kPodTemplate;
    case FieldShape::PodSpec:
      return kPodSpec;
    case FieldShape::DnsConfig:
      return kDnsConfig;
    case FieldShape::NameValue:
      return kNameValue;
    case FieldShape::HostAlias:
      return kHostAlias;
    case FieldShape::ResourceClaim:
      return kResourceClaim;
    case FieldShape::Container:
      return kContainer;
    case FieldShape::ContainerPort:
      return kContainerPort;
    case FieldShape::EnvVar:
      return kEnvVar;
    case FieldShape::EnvSource:
      return kEnvSource;
    case FieldShape::FieldRef:
      return kFieldRef;
    case FieldShape::ResourceFieldRef:
      return kResourceFieldRef;
    case FieldShape::KeyRef:
      return kKeyRef;
    case FieldShape::FileKeyRef:
      return kFileKeyRef;
    case FieldShape::EnvFrom:
      return kEnvFrom;
    case FieldShape::Resources:
      return kResources;
    case FieldShape::ResizePolicy:
      return kResizePolicy;
    case FieldShape::VolumeMount:
      return kVolumeMount;
    case FieldShape::VolumeDevice:
      return kVolumeDevice;
    case FieldShape::Probe:
      return kProbe;
    case FieldShape::HttpGet:
      return kHttpGet;
    case FieldShape::Lifecycle:
      return kLifecycle;
    case FieldShape::SecurityContext:
      return kSecurityContext;
    case FieldShape::PodSecurityContext:
      return kPodSecurityContext;
    case FieldShape::Capabilities:
      return kCapabilities;
    case FieldShape::Profile:
      return kProfile;
    case FieldShape::Volume:
      return kVolume;
    case FieldShape::FilesVolume:
      return kFilesVolume;
    case FieldShape::FileItem:
      return kFileItem;
    case FieldShape::Projected:
      return kProjected;
    case FieldShape::Projection:
      return kProjection;
    case FieldShape::Token:
      return kToken;
    case FieldShape::EmptyDir:
      return kEmptyDir;
    case FieldShape::ClaimVolume:
      return kClaimVolume;
    case FieldShape::Ephemeral:
      return kEphemeral;
    case FieldShape::ClaimTemplate:
      return kClaimTemplate;
    case FieldShape::HostPath:
      return kHostPath;
    case FieldShape::Nfs:
      return kNfs;
    case FieldShape::Csi:
      return kCsi;
    case FieldShape::ImageVolume:
      return kImageVolume;
    case FieldShape::Affinity:
      return kAffinity;
    case FieldShape::NodeAffinity:
      return kNodeAffinity;
    case FieldShape::NodeSelector:
      return kNodeSelector;
    case FieldShape::NodeTerm:
      return kNodeTerm;
    case FieldShape::PreferredNodes:
      return kPreferredNodes;
    case FieldShape::PodAffinity:
      return kPodAffinity;
    case FieldShape::PodTerm:
      return kPodTerm;
    case FieldShape::PreferredPods:
      return kPreferredPods;
    case FieldShape::Toleration:
      return kToleration;
    case FieldShape::TopologySpread:
      return kTopologySpread;
    case FieldShape::Taint:
      return kTaint;
    case FieldShape::JobSpec:
      return kJobSpec;
    case FieldShape::JobTemplate:
      return kJobTemplate;
    case FieldShape::PodFailurePolicy:
      return kPodFailurePolicy;
    case FieldShape::PodFailureRule:
      return kPodFailureRule;
    case FieldShape::ExitCodes:
      return kExitCodes;
    case FieldShape::PodCondition:
      return kPodCondition;
    case FieldShape::SuccessPolicy:
      return kSuccessPolicy;
    case FieldShape::SuccessRule:
      return kSuccessRule;
    case FieldShape::CronJobSpec:
      return kCronJobSpec;
    case FieldShape::WorkloadSpec:
      return kWorkloadSpec;
    case FieldShape::Strategy:
      return kStrategy;
    case FieldShape::ServiceSpec:
      return kServiceSpec;
    case FieldShape::ServicePort:
      return kServicePort;
    case FieldShape::ConfigMap:
      return kConfigMap;
    case FieldShape::Secret:
      return kSecret;
    case FieldShape::ClaimSpec:
      return kClaimSpec;
    case FieldShape::VolumeSpec:
      return kVolumeSpec;
    case FieldShape::DeviceClaimTemplate:
      return kDeviceClaimTemplate;
    case FieldShape::DeviceClaimSpec:
      return kDeviceClaimSpec;
    case FieldShape::DeviceClaim:
      return kDeviceClaim;
    case FieldShape::DeviceRequest:
      return kDeviceRequest;
    case FieldShape::ExactDevices:
      return kExactDevices;
    case FieldShape::ComputeDomainSpec:
      return kComputeDomainSpec;
    case FieldShape::StorageClass:
      return kStorageClass;
    case FieldShape::ServiceAccount:
      return kServiceAccount;
    case FieldShape::Role:
      return kRole;
    case FieldShape::PolicyRule:
      return kPolicyRule;
    case FieldShape::RoleBinding:
      return kRoleBinding;
    case FieldShape::RoleRef:
      return kRoleRef;
    case FieldShape::Subject:
      return kSubject;
    case FieldShape::PriorityClass:
      return kPriorityClass;
    case FieldShape::NetworkPolicySpec:
      return kNetworkPolicySpec;
    case FieldShape::NetworkRule:
      return kNetworkRule;
    case FieldShape::NetworkPeer:
      return kNetworkPeer;
    case FieldShape::NetworkPort:
      return kNetworkPort;
    case FieldShape::DisruptionSpec:
      return kDisruptionSpec;
    case FieldShape::QuotaSpec:
      return kQuotaSpec;
    case FieldShape::LimitRangeSpec:
      return kLimitRangeSpec;
    case FieldShape::LimitRange:
      return kLimitRange;
    case FieldShape::ReplicaJobSpec:
      return kReplicaJobSpec;
    case FieldShape::RunPolicy:
      return kRunPolicy;
    case FieldShape::SchedulingPolicy:
      return kSchedulingPolicy;
    case FieldShape::ElasticPolicy:
      return kElasticPolicy;
    case FieldShape::ReplicaSpecs:
      return kReplicaSpecs;
    case FieldShape::ReplicaSpec:
      return kReplicaSpec;
    case FieldShape::TrainJobSpec:
      return kTrainJobSpec;
    case FieldShape::RuntimeRef:
      return kRuntimeRef;
    case FieldShape::Trainer:
      return kTrainer;
    case FieldShape::PodOverride:
      return kPodOverride;
    case FieldShape::RuntimePatch:
      return kRuntimePatch;
    case FieldShape::RuntimeSpec:
      return kRuntimeSpec;
    case FieldShape::MlPolicy:
      return kMlPolicy;
    case FieldShape::MpiPolicy:
      return kMpiPolicy;
    case FieldShape::JobSetTemplate:
      return kJobSetTemplate;
    case FieldShape::JobSetSpec:
      return kJobSetSpec;
    case FieldShape::ReplicatedJob:
      return kReplicatedJob;
    case FieldShape::VolcanoJobSpec:
      return kVolcanoJobSpec;
    case FieldShape::VolcanoTask:
      return kVolcanoTask;
    case FieldShape::VolcanoPolicy:
      return kVolcanoPolicy;
    case FieldShape::VolcanoQueueSpec:
      return kVolcanoQueueSpec;
    case FieldShape::VolcanoGuarantee:
      return kVolcanoGuarantee;
    case FieldShape::PodGroupSpec:
      return kPodGroupSpec;
    case FieldShape::HyperNodeSpec:
      return kHyperNodeSpec;
    case FieldShape::ClusterQueueSpec:
      return kClusterQueueSpec;
    case FieldShape::ResourceGroup:
      return kResourceGroup;
    case FieldShape::FlavorQuotas:
      return kFlavorQuotas;
    case FieldShape::FlavorQuota:
      return kFlavorQuota;
    case FieldShape::LocalQueueSpec:
      return kLocalQueueSpec;
    case FieldShape::FlavorSpec:
      return kFlavorSpec;
    case FieldShape::KaiQueueSpec:
      return kKaiQueueSpec;
    case FieldShape::NimServiceSpec:
      return kNimServiceSpec;
    case FieldShape::NimCacheSpec:
      return kNimCacheSpec;
    case FieldShape::NimSources:
      return kNimSources;
    case FieldShape::NimSource:
      return kNimSource;
    case FieldShape::NimStorage:
      return kNimStorage;
    case FieldShape::NimClaim:
      return kNimClaim;
    case FieldShape::NimScale:
      return kNimScale;
    case FieldShape::NimExposure:
      return kNimExposure;
    case FieldShape::NimImage:
      return kNimImage;
    case FieldShape::NemoJobSpec:
      return kNemoJobSpec;
    case FieldShape::NemoClaim:
      return kNemoClaim;
    case FieldShape::NemoSource:
      return kNemoSource;
    case FieldShape::NemoEntity:
      return kNemoEntity;
    case FieldShape::NemoOutput:
      return kNemoOutput;
    case FieldShape::NemoWorkload:
      return kNemoWorkload;
    case FieldShape::NemoTrainer:
      return kNemoTrainer;
    case FieldShape::NemoTrainerSpec:
      return kNemoTrainerSpec;
    case FieldShape::NemoHandlerSpec:
      return kNemoHandlerSpec;
    case FieldShape::NemoHandler:
      return kNemoHandler;
    case FieldShape::RunaiSpec:
      return kRunaiSpec;
    case FieldShape::KaiResources:
      return kKaiResources;
    case FieldShape::KaiShare:
      return kKaiShare;
    case FieldShape::GkeParameters:
      return kGkeParameters;
    case FieldShape::GkeNetworkSpec:
      return kGkeNetworkSpec;
    case FieldShape::TypedReference:
      return kTypedReference;
    case FieldShape::GpuPolicySpec:
      return kGpuPolicySpec;
    case FieldShape::RayClusterSpec:
      return kRayClusterSpec;
    case FieldShape::RayGroup:
      return kRayGroup;
    case FieldShape::RayJobSpec:
      return kRayJobSpec;
    case FieldShape::RayServiceSpec:
      return kRayServiceSpec;
    case FieldShape::LwsSpec:
      return kLwsSpec;
    case FieldShape::LwsTemplate:
      return kLwsTemplate;
    case FieldShape::Kustomization:
      return kKustomization;
    case FieldShape::TrainingJobSpec:
      return kTrainingJobSpec;
  }
  return {};
}

}  // namespace trainyard
