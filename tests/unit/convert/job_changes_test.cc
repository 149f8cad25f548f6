// Two jobs of one kind are compared by what their pods are in the end, not by how they say it.
#include "convert/job_changes.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "convert/same_meaning.h"
#include "convert/seen_values.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The changes between two manifests, each as `path: before -> after`.
std::vector<std::string> changes(const std::string& before, const std::string& after,
                                 bool of_part = false) {
  SourceMap sources;
  Sink sink;
  const auto read = [&](const std::string& name, const std::string& text) {
    return read_yaml(sources, sources.add(name, text), sink, {}, Ambiguity::Kubernetes);
  };
  const std::vector<Tree> old_trees = read("old.yaml", before);
  const std::vector<Tree> new_trees = read("new.yaml", after);
  REQUIRE_FALSE(sink.has_errors());
  Tree old_made;
  Tree new_made;
  Origins old_origins;
  Origins new_origins;
  PodBuilder old_maker(old_made, old_origins);
  PodBuilder new_maker(new_made, new_origins);
  const ComparedJob old_job{View(old_trees[0], old_trees[0].root()), old_maker};
  const ComparedJob new_job{View(new_trees[0], new_trees[0].root()), new_maker};
  std::vector<std::string> found;
  const auto is_told = [](View) { return false; };
  for (const JobChange& each : of_part ? changes_of_part(old_job, new_job, is_told)
                                       : changes_between(old_job, new_job, {}, is_told)) {
    found.push_back(each.path + ": " + (each.was_there ? each.before : "none") + " -> " +
                    (each.is_there ? each.after : "none"));
  }
  return found;
}

std::string job(const std::string& container, const std::string& pod = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n"
         "  completionMode: Indexed\n  parallelism: 2\n  completions: 2\n  template:\n    spec:\n"
         "      restartPolicy: Never\n" +
         pod + "      containers:\n      - " + container + "\n";
}

using Changes = std::vector<std::string>;

}  // namespace

TEST_CASE("two ways to write one pod are no change") {
  const std::string plain =
      job("{name: main, image: a, command: [torchrun, --nnodes=2, --nproc_per_node=4, "
          "--node-rank=$(JOB_COMPLETION_INDEX), --master-addr=train-0.train, --master-port=29500, "
          "train.py], resources: {limits: {cpu: 1000m}}}",
          "      subdomain: train\n");
  const std::string others = job(
      "{name: worker, image: a, command: [torchrun, train.py], env: [{name: PET_NNODES, value: "
      "\"2\"}, {name: PET_NPROC_PER_NODE, value: \"4\"}, {name: PET_NODE_RANK, valueFrom: "
      "{fieldRef: {fieldPath: "
      "\"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}"
      "}, {name: PET_MASTER_ADDR, value: train-0.train}, {name: PET_MASTER_PORT, value: "
      "\"29500\"}], resources: {requests: {cpu: 1}, limits: {cpu: 1}}}",
      "      subdomain: train\n      enableServiceLinks: false\n      dnsPolicy: ClusterFirst\n");
  CHECK(changes(plain, others) == Changes{});
}

TEST_CASE(
    "the old name of a service account means the same, and counts where the new one is missing") {
  const std::string container = "{name: main, image: a}";
  const std::string of_new = job(container, "      serviceAccountName: reader\n");
  CHECK(changes(job(container, "      serviceAccount: reader\n"), of_new) == Changes{});
  CHECK(changes(job(container, "      serviceAccount: x\n      serviceAccountName: reader\n"),
                of_new) == Changes{});
  CHECK(changes(job(container, "      serviceAccount: x\n"), of_new) ==
        Changes{"serviceAccountName: x -> reader"});
}

TEST_CASE("two spellings of the options of hyperpodrun mean the same") {
  const auto line = [](const std::string& options) {
    return job("{name: main, image: a, command: [hyperpodrun, " + options + ", train.py]}");
  };
  CHECK(changes(line("--nnodes=2, --nproc-per-node=8"), line("--nnodes, 2, --nproc_per_node, 8")) ==
        Changes{});
  CHECK(changes(line("--nnodes=2"), line("--nnodes=3")) == Changes{"launch.nnodes: 2 -> 3"});
}

TEST_CASE("a value that is changed, added or left out is one change for all pods") {
  const std::string before = job("{name: main, image: a, env: [{name: A, value: x}]}");
  CHECK(changes(before, job("{name: main, image: b, env: [{name: A, value: x}]}")) ==
        Changes{"image: a -> b"});
  CHECK(changes(before, job("{name: main, image: a}")) == Changes{"env[A]: x -> none"});
  CHECK(changes(job("{name: main, image: a}"), before) == Changes{"env[A]: none -> x"});
}

TEST_CASE("what one cause changes at several places is one change") {
  const std::string before = job("{name: main, image: a}");
  const std::string after = job(
      "{name: main, image: a, securityContext: {runAsNonRoot: true, capabilities: {drop: [ALL]}, "
      "allowPrivilegeEscalation: false}}");
  CHECK(changes(before, after).size() == 1);
}

TEST_CASE("volumes are known by where they are mounted") {
  const auto with = [](const std::string& name, const std::string& path) {
    return job("{name: main, image: a, volumeMounts: [{name: " + name + ", mountPath: /data}]}",
               "      volumes: [{name: " + name + ", hostPath: {path: " + path + "}}]\n");
  };
  CHECK(changes(with("data", "/srv"), with("other", "/srv")) == Changes{});
  CHECK(changes(with("data", "/srv"), with("data", "/mnt")) ==
        Changes{"mounts[/data].hostPath.path: /srv -> /mnt"});
}

TEST_CASE("a number of pods that differs is a change") {
  std::string more = job("{name: main, image: a}");
  more.replace(more.find("parallelism: 2"), 14, "parallelism: 3");
  more.replace(more.find("completions: 2"), 14, "completions: 3");
  bool counted = false;
  for (const std::string& each : changes(job("{name: main, image: a}"), more)) {
    counted = counted || each == "ranks: number of pods: 2 -> 3";
  }
  CHECK(counted);
}

TEST_CASE("a pattern of the table of what means the same fits a whole path") {
  CHECK(fits("env[PET_*", "env[PET_NNODES]"));
  CHECK(fits("*.replicas", "replicatedJobs[worker].replicas"));
  CHECK(fits("*a*b", "xaxbab"));
  CHECK_FALSE(fits("hostname", "hostnames"));
  CHECK_FALSE(fits("a*b", "abc"));
}

TEST_CASE("variables are filled in as the kubelet does it") {
  const Variables known = {{"A", "1"}};
  CHECK(with_variables("$(A)-$(B)-$$(A)", known) == "1-$(B)-$(A)");
}

TEST_CASE("the order of keys, and a map without entries, change nothing") {
  const std::string container = "{name: main, image: a}";
  CHECK(changes(job(container, "      tolerations: [{key: a, operator: Exists}]\n"),
                job(container, "      tolerations: [{operator: Exists, key: a}]\n"))
            .empty());
  CHECK(changes(job(container, "      nodeSelector: {}\n      affinity: {nodeAffinity: {}}\n"),
                job(container))
            .empty());
}

TEST_CASE("headless Services are compared by what their names lead to") {
  const std::string service =
      "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {clusterIP: None";
  const std::string built = service + ", publishNotReadyAddresses: true}\n";
  CHECK(
      changes(service + ", selector: {app: a}, ports: [{port: 1}], type: ClusterIP}\n", built, true)
          .empty());
  CHECK(changes(service + ", ipFamilyPolicy: RequireDualStack}\n", built, true) ==
        Changes{"Service/s: spec.ipFamilyPolicy: RequireDualStack -> none"});
}

TEST_CASE("claims and ConfigMaps are compared by what they hold") {
  const std::string claim =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: d}\nspec:\n  accessModes: "
      "[ReadWriteMany]\n  resources: {requests: {storage: ";
  CHECK(changes(claim + "1Gi}}\n  volumeMode: Filesystem\n", claim + "1024Mi}}\n", true).empty());
  CHECK(changes(claim + "1Gi}}\n  storageClassName: fast\n", claim + "2Gi}}\n", true) ==
        Changes{"PersistentVolumeClaim/d: spec.resources.requests.storage: 1Gi -> 2Gi",
                "PersistentVolumeClaim/d: spec.storageClassName: fast -> none"});
  const std::string files = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata: {a: b";
  CHECK(changes(files + ", c: d}\n", files + "}\n", true) ==
        Changes{"ConfigMap/s: data.c: d -> none"});
}
