// Input of four times the size costs about four times as much, whatever it is that grows.
#include "growth.h"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "driver/build/build.h"
#include "driver/explain/explain_pod.h"
#include "driver/format/format_files.h"
#include "driver/validate/validate.h"
#include "driver/why/why.h"

using namespace trainyard;
using trainyard::testing::growth;
using trainyard::testing::kMostGrowth;

namespace {

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
};

void build_it(World& world) {
  BuildRequest request;
  request.inputs = {"in.yaml"};
  build(world.session, request);
}
void build_beside_a_file(World& world) {
  world.files.files[std::string(24, 'a')] = "text";
  build_it(world);
}
/// The layer has as many keys and containers as the job, of other names.
void build_over_a_layer(World& world) {
  std::string& layer = world.files.files["layer.yaml"];
  layer = world.files.files["in.yaml"];
  layer.erase(0, layer.find('\n') + 1);
  for (std::size_t at = layer.find("A"); at != layer.npos; at = layer.find("A", at))
    layer[at] = 'B';
  build_it(world);
}
void validate_it(World& world) {
  ValidateRequest request;
  request.inputs = {"in.yaml"};
  validate(world.session, request);
}
/// The files of a folder, each behind a line `### NAME`.
void validate_a_folder(World& world) {
  const std::string all = world.files.files["in.yaml"];
  constexpr std::string_view kMark = "### ";
  for (std::size_t at = all.find(kMark); at != all.npos;) {
    const std::size_t line = all.find('\n', at);
    const std::size_t next = all.find(kMark, line);
    const std::size_t name = at + kMark.size();
    world.files.files["k/" + all.substr(name, line - name)] = all.substr(line + 1, next - line - 1);
    at = next;
  }
  ValidateRequest request;
  request.inputs = {"k"};
  validate(world.session, request);
}
void validate_a_template(World& world) {
  world.files.files["templates/in.yaml"] = world.files.files["in.yaml"];
  ValidateRequest request;
  request.inputs = {"templates/in.yaml"};
  validate(world.session, request);
}
void check_format(World& world) {
  FormatRequest request;
  request.inputs = {"in.yaml"};
  request.check = true;
  format_files(world.session, request);
}
void explain_a_pod(World& world) {
  ExplainPodRequest request;
  request.inputs = {"in.yaml"};
  explain_pod(world.session, request);
}
void ask_why(World& world) {
  WhyRequest request;
  request.input = "in.yaml";
  request.line = 5;
  why(world.session, request);
}

/// `count` texts of `part`, in which `#` stands for the number.
std::string many(std::size_t count, const std::string& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    for (const char c : part) text += c == '#' ? std::to_string(i) : std::string(1, c);
  }
  return text;
}

/// Words without a likeness to a field, all of one length.
std::string words(std::size_t count, const std::string& before, const std::string& after) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += before;
    for (std::size_t j = 0, rest = i * 2654435761U; j < 20; ++j, rest = rest / 7 + j * 31) {
      text += static_cast<char>('a' + rest % 26);
    }
    text += std::to_string(i) + after;
  }
  return text;
}

std::string spec(const std::string& metadata, const std::string& fields) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a" + metadata +
         "}\nspec:\n  image: a/b:1\n  run: {script: train.py}\n  nodes: 4\n  gpusPerNode: 8\n" +
         fields;
}

std::string pod(const std::string& container, const std::string& rest) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
         "  - name: c\n    image: a/b:1\n" +
         container + rest;
}

/// A container that runs lines of a script.
std::string script(const std::string& lines) {
  std::string text;
  for (const char c : lines) text += c == '\n' ? std::string("\n        ") : std::string(1, c);
  return pod("    command: [bash, -c]\n    args:\n      - |-\n        " + text + "\n", "");
}

std::string required_nodes(const std::string& expressions) {
  return "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchExpressions: [" +
         expressions + "]}]}}}\n";
}

/// What grows, and how an input with so many of it looks.
struct Cost {
  const char* name;
  void (*use)(World&);
  std::size_t amount;
  std::string (*input)(std::size_t);
};

const Cost kCosts[] = {
    {"labels of a job", build_it, 2000,
     [](std::size_t n) { return spec(", labels: {" + many(n, "l#: a, ") + "}", ""); }},
    {"annotations of a job", build_it, 2000,
     [](std::size_t n) { return spec(", annotations: {" + many(n, "l#: a, ") + "}", ""); }},
    {"variables of a job", build_it, 2000,
     [](std::size_t n) { return spec("", "  env:\n" + many(n, "    V#: a\n")); }},
    {"variables that mention what is not there", build_it, 400,
     [](std::size_t n) { return spec("", "  env:\n" + many(n, "    V#: \"$(X#)\"\n")); }},
    {"variables of another system in a shell", build_it, 2000,
     [](std::size_t n) {
       constexpr std::string_view kScript = "script: train.py";
       std::string text = spec("", "");
       text.replace(text.find(kScript), kScript.size(), "shell: \"" + many(n, "$SLURM_A# ") + "\"");
       return text;
     }},
    {"mentions in one variable", build_it, 4000,
     [](std::size_t n) { return spec("", "  env: {A: \"" + many(n, "$(") + ")\"}\n"); }},
    {"unknown fields of a spec", build_it, 500,
     [](std::size_t n) { return spec("", words(n, "  ", ": 1\n")); }},
    {"unknown fields of an object", validate_it, 500,
     [](std::size_t n) { return pod(words(n, "    ", ": 1\n"), ""); }},
    {"volumes of a pod", validate_it, 1500,
     [](std::size_t n) {
       return pod("    volumeMounts:\n" + many(n, "    - {name: v#, mountPath: /m#}\n"),
                  "  volumes:\n" + many(n, "  - {name: v#, emptyDir: {}}\n"));
     }},
    {"containers of a pod", validate_it, 1500,
     [](std::size_t n) { return pod("", many(n, "  - {name: c#, image: a/b:1}\n")); }},
    {"variables of a container that mention others", validate_it, 1000,
     [](std::size_t n) {
       return pod("    env:\n" + many(n, "    - {name: EE#, value: \"$(EE#) $(DD#)\"}\n"), "");
     }},
    {"pods", validate_it, 500,
     [](std::size_t n) {
       return many(n,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#}\nspec: {containers: "
                   "[{name: c, image: a/b:1}]}\n");
     }},
    {"requests and limits of a container", validate_it, 2500,
     [](std::size_t n) {
       const std::string amounts = "{" + many(n, "a.b/c#: 1, ") + "}";
       return pod("    resources: {limits: " + amounts + ", requests: " + amounts + "}\n", "");
     }},
    {"ports of a container", validate_it, 4000,
     [](std::size_t n) {
       return pod("    ports:\n" + many(n, "    - {name: a#, containerPort: 80, hostPort: 1#}\n"),
                  "");
     }},
    {"limits of a LimitRange", validate_it, 3000,
     [](std::size_t n) {
       return "apiVersion: v1\nkind: LimitRange\nmetadata: {name: p}\nspec:\n  limits:\n" +
              many(n, "  - {type: a.b/c#, max: {d.e/f#: 1}}\n");
     }},
    {"amounts of a LimitRange", validate_it, 2000,
     [](std::size_t n) {
       const std::string amounts = "{" + many(n, "a.b/c#: 1, ") + "}";
       return "apiVersion: v1\nkind: LimitRange\nmetadata: {name: p}\nspec:\n  limits:\n"
              "  - {type: Container, max: " +
              amounts + ", min: " + amounts + "}\n";
     }},
    {"expressions of an affinity", validate_it, 800,
     [](std::size_t n) {
       return pod("", "  nodeSelector: {" + many(n, "a#: b, ") + "}\n" +
                          required_nodes(many(n, "{key: a#, operator: In, values: [b]}, ")));
     }},
    {"values in an affinity", validate_it, 1000,
     [](std::size_t n) {
       const std::string values = "values: [" + many(n, "b#, ") + "]}, ";
       return pod("", required_nodes("{key: a, operator: In, " + values +
                                     "{key: a, operator: NotIn, " + values));
     }},
    {"keys of a ConfigMap that a pod wants", validate_it, 1000,
     [](std::size_t n) {
       return pod("", "  volumes: [{name: v, configMap: {name: m, items: [" +
                          many(n, "{key: a#, path: b#}, ") + "]}}]\n") +
              "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n" +
              many(n, "  a#: b\n");
     }},
    {"variables of an admission policy", validate_it, 1000,
     [](std::size_t n) {
       return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n"
              "metadata: {name: p}\nspec:\n  validations: [{expression: \"true\"}]\n"
              "  variables:\n" +
              many(n, "  - {name: v#, expression: \"1\"}\n");
     }},
    {"variables that a script puts in", validate_it, 1500,
     [](std::size_t n) {
       return pod("    env: [{name: ABCDE, value: b}]\n    command: [bash, -c]\n    args: [\"" +
                      many(n, "$A# ") + "\"]\n",
                  "");
     }},
    {"options that a script hands on over and over", validate_it, 500,
     [](std::size_t n) {
       return script("A=(" + many(n, "--a# ") + ")\n" + many(n, "B#=(\"${A[@]}\")\n") +
                     "torchrun " + many(n, "\"${B#[@]}\" ") + "t.py");
     }},
    {"lists of options that double", validate_it, 8,
     [](std::size_t n) {
       std::string lines = "A0=(--a --b)\n";
       for (std::size_t i = 1; i <= n; ++i) {
         const std::string before = "\"${A" + std::to_string(i - 1) + "[@]}\"";
         lines += "A" + std::to_string(i) + "=(" + before + " " + before + ")\n";
       }
       return script(lines + "torchrun \"${A" + std::to_string(n) + "[@]}\" t.py");
     }},
    {"texts of a script that double", validate_it, 8,
     [](std::size_t n) {
       std::string lines = "A0=path\n";
       for (std::size_t i = 1; i <= n; ++i) {
         const std::string before = "$A" + std::to_string(i - 1);
         lines += "A" + std::to_string(i) + "=" + before + before + "\n";
       }
       return script(lines + "torchrun --master-addr \"$A" + std::to_string(n) + "\" t.py");
     }},
    {"variables that a script reads and nothing sets", validate_it, 1500,
     [](std::size_t n) { return script("set -u\nABCDEF=1\n" + many(n, "echo $ABZ#\n")); }},
    {"objects without a field in a folder of templates", validate_a_template, 1000,
     [](std::size_t n) {
       return many(n, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a#}\nspec: {}\n");
     }},
    {"addresses in a variable", validate_it, 25'000,
     [](std::size_t n) {
       return pod("    env: [{name: A, value: \"" + many(n, "s3://") + "\"}]\n", "");
     }},
    {"words of a file in a ConfigMap", validate_it, 8000,
     [](std::size_t n) {
       return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata: {a.yaml: \"" +
              many(n, "a_b_") + "\"}\n";
     }},
    {"hosts that an init container waits for", validate_it, 150,
     [](std::size_t n) {
       return "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: set}\nspec:\n"
              "  serviceName: s\n  replicas: 2\n  podManagementPolicy: Parallel\n"
              "  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n"
              "    spec:\n      containers: [{name: c, image: a/b:1, command: [torchrun, "
              "--nnodes=2, --node-rank=$(RANK), --master-addr=$(MASTER_ADDR), a.py]}]\n"
              "      initContainers: [{name: i, image: a/b:1, command: [sh, -c, " +
              many(n, "\"until nslookup set-0.s; do sleep 1; done\", ") + "]}]\n";
     }},
    {"keys in one line to be laid out", check_format, 3000,
     [](std::size_t n) { return "a: {" + many(n, "k#: a, ") + "}\n"; }},
    {"keys that are missing in one line", validate_it, 5000,
     [](std::size_t n) { return "a: {" + std::string(n, ',') + "}\n"; }},
    {"keys of a layer and of a job", build_over_a_layer, 1000,
     [](std::size_t n) {
       return "extends: layer.yaml\n" + spec("", "  env: {" + many(n, "A#: b, ") + "}\n");
     }},
    {"containers of a layer and of a job", build_over_a_layer, 700,
     [](std::size_t n) {
       return "extends: layer.yaml\n" +
              spec("", "  pod: {spec: {containers: [" + many(n, "{name: a#, image: a/b:1}, ") +
                           "]}}\n");
     }},
    {"objects of one name in a file", validate_it, 500,
     [](std::size_t n) {
       return many(n, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata: {a: b#}\n");
     }},
    {"patches of a kustomization, each over another object", validate_a_folder, 200,
     [](std::size_t n) {
       const std::string map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p#}\n";
       return "### objects.yaml\n" + many(n, "---\n" + map) +
              "### kustomization.yaml\nresources: [objects.yaml]\npatches:\n" +
              many(n,
                   "- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: p#}, data: "
                   "{a: b}}'\n");
     }},
    {"patches over one object, and its keys, beyond the bound", validate_a_folder, 1500,
     [](std::size_t n) {
       return "### objects.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata:\n" +
              many(n, "  a#: b\n") +
              "### kustomization.yaml\nresources: [objects.yaml]\npatches:\n" +
              many(n,
                   "- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: p}, data: "
                   "{b#: b}}'\n");
     }},
    {"operations of a patch", validate_a_folder, 1000,
     [](std::size_t n) {
       return "### objects.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\n"
              "### kustomization.yaml\nresources: [objects.yaml]\npatches:\n"
              "- target: {name: p}\n  patch: |\n    - {op: add, path: /data, value: {}}\n" +
              many(n, "    - {op: add, path: /data/a#, value: b}\n");
     }},
    {"overlays of a base, beyond the bound", validate_a_folder, 1500,
     [](std::size_t n) {
       const std::string map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p#}\n";
       return "### b/objects.yaml\n" + many(n, "---\n" + map) +
              "### b/kustomization.yaml\nresources: [objects.yaml]\n" +
              many(n,
                   "### o#/kustomization.yaml\nresources: [../b]\nnamePrefix: a\npatches:\n"
                   "- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: p#}, data: "
                   "{a: b}}'\n");
     }},
    {"pods and accounts of another namespace", validate_it, 500,
     [](std::size_t n) {
       return many(n,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#, namespace: a}\nspec: "
                   "{serviceAccountName: s, containers: [{name: c, image: a/b:1}]}\n---\n"
                   "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s#, namespace: b}\n");
     }},
    {"Services that select pods", validate_it, 500,
     [](std::size_t n) {
       return many(n,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#, labels: {app: a, of: "
                   "b#}}\nspec: {containers: [{name: c, image: a/b:1}]}\n---\napiVersion: v1\n"
                   "kind: Service\nmetadata: {name: s#}\nspec: {selector: {of: b#}, ports: "
                   "[{port: 80, targetPort: http}]}\n");
     }},
    {"Secrets and pods that want another one", validate_it, 500,
     [](std::size_t n) {
       return many(n,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#}\nspec: {containers: "
                   "[{name: c, image: a/b:1, envFrom: [{secretRef: {name: t#}}]}]}\n---\n"
                   "apiVersion: v1\nkind: Secret\nmetadata: {name: s#}\n");
     }},
    {"ports of a Service", validate_it, 2000,
     [](std::size_t n) {
       return "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  ports:\n" +
              many(n, "  - {name: a#, port: #}\n");
     }},
    {"members of a pod group", validate_it, 500,
     [](std::size_t n) {
       return many(n,
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#, labels: "
                   "{kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: g}, annotations: "
                   "{kueue.x-k8s.io/pod-group-total-count: \"9\"}}\nspec: {containers: "
                   "[{name: c, image: a/b:1}]}\n");
     }},
    {"Kustomizations that wait for one another", validate_it, 500,
     [](std::size_t n) {
       return many(
           n,
           "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
           "metadata: {name: k#, namespace: a}\nspec: {interval: 1m, prune: true, path: ./, "
           "sourceRef: {kind: GitRepository, name: g}, dependsOn: [{name: k#1}]}\n");
     }},
    {"words behind the beginning of a key", build_it, 4000,
     [](std::size_t n) {
       return spec("", "  env:\n    A: \"-----BEGIN PRIVATE KEY-----" + words(n, " ", "") + "\"\n");
     }},
    {"stars in the pattern of a staged file", build_beside_a_file, 3,
     [](std::size_t n) {
       return spec("", "  files: {items: [{from: \"" + many(n, "*a") + "b\"}]}\n");
     }},
    {"keys of a file to be laid out", check_format, 4000,
     [](std::size_t n) { return many(n, "k#:   a\n"); }},
    {"specs of a file whose pods are asked for", explain_a_pod, 300,
     [](std::size_t n) { return many(n, "---\n" + spec("#", "")); }},
    {"specs of a file that is asked why", ask_why, 300,
     [](std::size_t n) { return many(n, "---\n" + spec("#", "")); }},
};

}  // namespace

TEST_CASE("four times as much costs about four times as much, whatever grows", "[driver]") {
  for (const Cost& cost : kCosts) {
    const double found = growth(cost.amount, [&cost](std::size_t amount) {
      World world;
      world.files.files["in.yaml"] = cost.input(amount);
      cost.use(world);
    });
    INFO(cost.name);
    CHECK(found < kMostGrowth);
  }
}
