#pragma once

namespace trainyard::testing {

/// A TrainingJob with something in every group.
inline constexpr const char* kEveryJobField = R"(apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata:
  name: llama
  namespace: nlp
  labels: {team: a}
spec:
  image: registry.example.com/train:1.0
  imagePullSecrets: [{name: ngc}]
  framework: tao
  run:
    script: train.py
    args: [--epochs, 10]
    launcher: torchrun
    mpiImplementation: MPICH
    sshPort: 2222
    rendezvous: {backend: c10d, port: 29500, timeout: 15m}
  nodes: 4
  gpusPerNode: 8
  gpu: {fraction: 0.5, sharing: time-slicing}
  resources: {cpu: 16, memory: 200Gi, limits: {cpu: 32}, extended: {hugepages-2Mi: 5Gi}}
  elastic: {minNodes: 2, maxNodes: 8}
  parallelism: {tensor: 8}
  roles:
    launcher: {gpusPerNode: 0, resources: {cpu: 2}}
    worker:
      nodes: 3
      env: {A: '1'}
      files: {mountPath: /conf, items: [{path: b.txt, content: hello}]}
      elastic: {minNodes: 2, maxNodes: 3}
      lifecycle: {gracePeriod: 5m}
      network: {hostNetwork: false}
      critical: false
  target: trainjob
  runtime: torch-distributed
  network: {fabric: gke-tcpxo, ports: [{containerPort: 80}], isolate: true, allow: {ingress: [{ports: [{port: 80}]}], egress: [{}]}}
  placement:
    topology: {level: rack, mode: preferred, slice: {level: tray, nodes: 2}}
    tolerations: [{operator: Exists}]
  scheduling: {system: kueue, queue: q, gang: true, timeout: 90}
  env: {NCCL_DEBUG: INFO, OMP_NUM_THREADS: 8}
  secretEnv: {TOKEN: {name: hf, key: token, optional: true}}
  files: {items: [{path: a.txt, content: hello}]}
  storage:
    data: {claim: imagenet, mountPath: /data, readOnly: true}
    out: {create: {size: 1Ti, accessModes: [ReadWriteMany]}, mountPath: /out}
  data: {inputs: [{uri: 's3://b/k', path: /data/k, kind: dataset}]}
  lifecycle: {retries: 3, retryOn: any, deadline: 7d, checkpoint: {path: /out, signal: SIGUSR1}}
  security: {level: baseline, supplementalGroups: [1, 2], capabilities: {add: [IPC_LOCK]}}
  serve:
    name: llama
    image: nvcr.io/nim/nvidia/llm-nim:1.12
    credentials: ngc
    model: {uri: 'hf://meta-llama/Llama-3.2-1B', revision: main, profile: vllm}
    cache: {size: 50Gi, accessMode: ReadWriteMany}
    autoscale: {minReplicas: 2, maxReplicas: 4, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}
    gpusPerReplica: 1
    gpu: {product: NVIDIA-L40S}
    resources: {cpu: 4}
    placement: {zone: a, spot: allow}
    expose: {port: 80, type: LoadBalancer, domain: example.com, ingressClass: nginx}
    env: {NIM_LOG_LEVEL: DEBUG}
    secretEnv: {TOKEN: {name: hf}}
    runAsUser: 1000
  runai:
    usage: Template
    namePrefix: llama
    nodePools: [a, b]
    podAffinity: {topologyKey: rack, mode: required}
    mpi: {workers: 2, slotsPerWorker: 8}
    stdin: true
    serviceType: NodePort
    exposedUrls: {ui: {container: 8888, authorizationType: authorizedUsers, authorizedUsers: [a]}}
    gitSync: {code: {repository: 'https://example.com/a.git', branch: main, path: /code}}
    s3: {data: {bucket: b, path: /data, url: 'https://s3.example.com'}}
  ray: {redis: {address: 'redis:6379', username: u, password: {name: redis, key: p}}}
  pod: {spec: {hostIPC: true}}
  rerun: new-name
  generation: 2
  patches: [{kind: Job, patch: {spec: {manualSelector: null}}}]
)";

/// A Cluster with something in every group.
inline constexpr const char* kEveryClusterField = R"(apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: prod}
spec:
  kubernetes: '1.33'
  operators: {trainer: 2.3.0, kueue: 0.19.2}
  defaults:
    target: trainjob
    namespace: ml
    scheduling: {system: kueue, queue: q}
    security: {level: baseline}
    env: {HTTP_PROXY: 'http://proxy:3128'}
    ray: {redis: {address: 'redis:6379', username: u, password: {name: redis, key: p}}}
  pools:
    - name: a
      machine: a3-megagpu-8g
      count: 32
      labels: {pool: a}
      taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
      topology: [{name: block, nodeLabel: example.com/block, nodes: 16, tier: 2}]
      domains: [{level: block, name: b1, within: h1}]
      capacity: spot
      gpu: {mig: {3g.40gb: 16}, migStrategy: mixed, sharing: {mode: mps, replicas: 4}, allocation: dra}
      allocatable: {cpu: 200, memory: 1700Gi}
      network: {fabric: none, resources: {rdma/ib: 8}}
  gpu: {migStrategy: none, cdi: false, runtimeClass: nvidia, allocation: dra}
  network:
    fabrics: {infiniband: {resource: rdma/ib, count: per-nic, networks: [a, b], hugePages: 5120Mi, env: {NCCL_IB_HCA: mlx5}}}
    gkeNetworks: [{name: vpc1, vpc: gpu-1, subnet: gpu-1-sub, deviceMode: NetDevice, existing: true}]
    serviceMesh: istio
    dnsAddresses: [169.254.20.10]
  data: {images: {s3: 'registry.example.com/aws-cli:2.34.56'}}
  queues: [{name: q, system: kueue, namespaces: [ml], quota: {nvidia.com/gpu: 64}, weight: 2, preemption: {withinQueue: LowerPriority, reclaim: Any}}]
  priorityClasses: [{name: high, value: -10, appliesTo: workloads}]
  runtimes: [{name: mpi, framework: mpi, image: 'registry.example.com/mpi:1', mpi: {runAsUser: 1000, sshPort: 2222}, gang: coscheduling, existing: false}]
  storageClasses: [{name: fast, accessModes: [ReadWriteOnce], default: true}]
  csiDrivers: [{name: s3.csi.aws.com, volumeLifecycleModes: [Persistent]}]
  claims: [{name: c, namespace: ml, accessModes: [ReadWriteMany]}]
  namespaces: [{name: ml, podSecurity: restricted}]
  nemo:
    handlers: [{name: h, namespace: ml, existing: false, image: 'registry.example.com/nds:1', command: [sh], args: [a], env: [{name: A, value: b}], cpu: 1, memory: 2Gi}]
    customizer: {name: c, namespace: nemo, spec: {replicas: 1}}
  gitops: {tool: flux, prune: false, gate: started, gateTimeout: 1h}
  policies: [{name: p, schema: p.json, appliesTo: objects, severity: warning}]
)";

}  // namespace trainyard::testing
