#pragma once

#include <string_view>

/// The documents that stand beside the fuzzed one.
inline constexpr std::string_view kFixedSpec = R"(apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: llama, namespace: nlp}
spec:
  image: nvcr.io/nvidia/nemo:25.07
  framework: pytorch
  run: {script: train.py, args: [--config, a.yaml], launcher: torchrun}
  nodes: 2
  gpusPerNode: 8
  machine: dgx-h100
  env: {A: b}
  secretEnv: {HF_TOKEN: {name: hf, key: token}}
  files: {items: [{path: a.yaml, content: "a: 1\n"}]}
)";

inline constexpr std::string_view kFixedCluster = R"(apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: superpod}
spec:
  kubernetes: '1.33'
  operators: {gpu-operator: 25.10.0}
  defaults:
    target: job
    imagePullSecrets: [{name: ngc}]
  pools:
    - name: h100
      machine: dgx-h100
      count: 32
      labels: {node-pool: h100}
      taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
    - name: mig
      machine: dgx-h100
      count: 2
      gpu: {migStrategy: mixed, mig: {3g.40gb: 16}}
  network: {fabrics: {infiniband: {resource: rdma/shared, count: flag}}}
  claims: [{name: pile, namespace: nlp, accessModes: [ReadOnlyMany]}]
)";

inline constexpr std::string_view kFixedManifest = R"(apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec: {size: 3, names: [a, b], map: {a: 1}}
)";

inline constexpr std::string_view kFixedDefinition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, minimum: 1, maximum: 9, default: 2}
                names: {type: array, items: {type: string, pattern: '^[a-z]+$', maxLength: 3}}
                map: {type: object, additionalProperties: {x-kubernetes-int-or-string: true}}
                choice: {type: string, enum: [a, b]}
              x-kubernetes-validations: [{rule: self.size > 0, message: no}]
)";
