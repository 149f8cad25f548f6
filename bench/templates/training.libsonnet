local labels(j) = {
  'app.kubernetes.io/name': j.name,
  'app.kubernetes.io/managed-by': 'bench',
};
local metadata(j) = { name: j.name, namespace: j.namespace, labels: labels(j) };
local master(j) = '%s-0.%s' % [j.name, j.name];
local gpus(j) = { 'nvidia.com/gpu': std.toString(j.gpus) };

local container(j) = {
  name: 'main',
  image: j.image,
  command: [
    'torchrun',
    '--nnodes=%d' % j.nodes,
    '--nproc-per-node=%d' % j.gpus,
    '--node-rank=$(NODE_RANK)',
    '--master-addr=' + master(j),
    '--master-port=29500',
    j.script,
  ],
  args: j.args,
  env: [
    {
      name: 'NODE_RANK',
      valueFrom: {
        fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" },
      },
    },
    { name: 'MASTER_ADDR', value: master(j) },
    { name: 'MASTER_PORT', value: '29500' },
    { name: 'NNODES', value: std.toString(j.nodes) },
    { name: 'NPROC_PER_NODE', value: std.toString(j.gpus) },
  ],
  resources: { limits: gpus(j), requests: gpus(j) },
  ports: [{ name: 'rendezvous', containerPort: 29500 }],
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }],
};

local pod(j) = {
  subdomain: j.name,
  restartPolicy: 'Never',
  enableServiceLinks: false,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: { matchLabels: { 'job-name': j.name } },
      }],
    },
  },
  tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
  containers: [container(j)],
  volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } }],
};

{
  service(j): {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(j),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { 'job-name': j.name },
      ports: [{ name: 'rendezvous', port: 29500 }],
    },
  },
  job(j): {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata(j),
    spec: {
      completionMode: 'Indexed',
      completions: j.nodes,
      parallelism: j.nodes,
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          {
            action: 'FailJob',
            onExitCodes: { containerName: 'main', operator: 'NotIn', values: [0] },
          },
        ],
      },
      template: { metadata: { labels: labels(j) }, spec: pod(j) },
    },
  },
}
