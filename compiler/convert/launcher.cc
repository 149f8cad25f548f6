#include "convert/launcher.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "convert/generated_mpirun.h"
#include "convert/pod_template_reader.h"
#include "convert/role_values.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

class Joining {
 public:
  Joining(Conversion& job, ConvertedRole& worker, ConvertedRole& launcher)
      : job_(job),
        tree_(job.maker.tree),
        worker_(worker),
        launcher_(launcher),
        works_(job.pods > worker.pods) {}

  void join() {
    take_out_sshd();
    const NodeId run = tree_.find(launcher_.fields, "run");
    if (run != kNoNode && tree_.find(worker_.fields, "run") == kNoNode) {
      tree_.remove(launcher_.fields, run);
      tree_.append(worker_.fields, "run", run);
    }
    processes();
    drop(launcher_.fields, "processesPerNode");
    if (launcher_.gpus == 0) drop(launcher_.fields, "gpusPerNode");
    std::vector<NodeId> same;
    for (NodeId each : tree_.children(launcher_.fields)) {
      const NodeId other = tree_.find(worker_.fields, tree_[each].key);
      if (other != kNoNode && equal(tree_, each, tree_, other)) same.push_back(each);
    }
    for (NodeId each : same) {
      launcher_same_pod_ = launcher_same_pod_ || tree_[each].key == "pod";
      launcher_same_placement_ = launcher_same_placement_ || tree_[each].key == "placement";
      launcher_same_storage_ = launcher_same_storage_ || tree_[each].key == "storage";
      const bool says_it_works = works_ && tree_[each].key == "gpusPerNode";
      if (!says_it_works && inherits(tree_[each].key)) tree_.remove(launcher_.fields, each);
    }
    if (works_ && launcher_.gpus == 0) {
      const std::int64_t count = std::max<std::int64_t>(job_.processes, 1);
      job_.maker.put(launcher_.fields, "processesPerNode", job_.number(count));
    }
    keep("launcher", launcher_.fields);
    of_worker_alone();
    if (works_) ++worker_.pods;
  }

 private:
  /// A launcher that does not train has nothing of what training needs, unless it says so.
  bool inherits(std::string_view field) const {
    if (works_ || (field != "resources" && field != "storage")) return true;
    const View run = job_.maker.view(worker_.fields)["run"];
    const bool calls_mpirun = job_.framework == "mpi" && !(run && (run["script"] || run["module"]));
    return field == "storage" && calls_mpirun;
  }

  /// What a role has of its own, beside what the job has.
  void keep(std::string_view role, NodeId fields) {
    if (tree_[fields].size != 0) job_.further_roles.emplace_back(role, fields);
  }

  /// What the launcher does not have.
  void of_worker_alone() {
    const NodeId own = job_.map();
    if (own_sshd_ != kNoNode) job_.maker.put(own, "run", own_sshd_);
    for (std::string_view field : {"env", "secretEnv"}) {
      const View all = job_.maker.view(worker_.fields)[field];
      std::vector<NodeId> passed;
      for (View each : Items(all)) {
        if (job_.passed.contains(each->key)) passed.push_back(each.id());
      }
      for (NodeId each : passed) {
        tree_.remove(all.id(), each);
        put_entry(job_.map_at(own, field), each);
      }
      if (all && all->size == 0) drop(worker_.fields, field);
    }
    placement(own);
    storage(own);
    // The launcher would have it as well, beside its own; a build of ours has given it to both.
    const bool own_of_launcher = tree_.find(launcher_.fields, "pod") != kNoNode;
    const NodeId pod = tree_.find(worker_.fields, "pod");
    if (pod != kNoNode && !launcher_same_pod_ && !(job_.ours && own_of_launcher)) {
      tree_.remove(worker_.fields, pod);
      job_.maker.put(own, "pod", pod);
    }
    if (tree_[own].size == 0) return;
    job_.maker.put(own, "nodes", job_.number(worker_.pods));
    keep("worker", own);
  }

  /// A launcher of a line of mpirun has what the job mounts, and so only what both mount is the
  /// job's.
  void storage(NodeId own) {
    const NodeId all = tree_.find(worker_.fields, "storage");
    if (job_.ours || works_ || all == kNoNode || launcher_same_storage_ || !inherits("storage")) {
      return;
    }
    tree_.remove(worker_.fields, all);
    job_.maker.put(own, "storage", all);
  }

  /// Under the key that it has, which is read when the tree has grown by the map.
  void put_entry(NodeId map, NodeId entry) { job_.maker.put(map, tree_[entry].key, entry); }

  /// A launcher takes over where the job's pods may be; what is for the nodes only is theirs.
  void placement(NodeId own) {
    const NodeId all = tree_.find(worker_.fields, "placement");
    if (all == kNoNode || launcher_same_placement_) return;
    const View of_launcher = job_.maker.view(launcher_.fields)["placement"];
    std::vector<NodeId> alone;
    for (View each : Items(job_.maker.view(all))) {
      const View own_of_launcher = of_launcher ? of_launcher[each->key] : View();
      const bool known = own_of_launcher && equal(tree_, each.id(), tree_, own_of_launcher.id());
      const bool inherits = each->key == "nodeSelector" || each->key == "affinity" ||
                            each->key == "tolerations" || each->key == "zone" ||
                            each->key == "topologySpreadConstraints";
      if (!known && inherits) alone.push_back(each.id());
    }
    for (NodeId each : alone) {
      tree_.remove(all, each);
      put_entry(job_.map_at(own, "placement"), each);
    }
    if (tree_[all].size == 0) drop(worker_.fields, "placement");
  }

  /// The workers run sshd, whether they say so or not. What runs before it on them is for the
  /// program.
  void take_out_sshd() {
    const View run = job_.maker.view(worker_.fields)["run"];
    if (!run) return;
    // The entry point of an image may start what is among the arguments.
    View command = run["command"];
    if (!command && !run["script"] && !run["module"]) command = run["args"];
    const View first = has_items(command) ? *Items(command).begin() : View();
    if (!first || !first->text.ends_with("/sshd")) return own_program(run);
    const NodeId own = run.id();
    tree_.remove(worker_.fields, own);
    for (std::string_view key : {"packages", "pip", "before", "rendezvous"}) {
      const NodeId found = tree_.find(own, key);
      if (found == kNoNode) continue;
      tree_.remove(own, found);
      const NodeId program = job_.map_at(launcher_.fields, "run");
      if (tree_.find(program, key) == kNoNode) tree_.append(program, key, found);
    }
    const bool elsewhere = !job_.ours && job_.maker.view(own)["workingDir"];
    if (elsewhere || !is_usual_sshd(job_.maker.view(own))) own_sshd_ = own;
  }

  /// The port of a usual sshd is that at which a build lets ssh ask.
  void keep_port(std::string_view port) {
    std::int64_t number = 0;
    std::from_chars(port.data(), port.data() + port.size(), number);
    job_.maker.put(job_.map_at(launcher_.fields, "run"), "sshPort", job_.number(number));
  }

  /// Another command of the workers', which starts sshd in its own way, or no more than the
  /// directory of theirs.
  void own_program(View run) {
    if (job_.ours || tree_.find(launcher_.fields, "run") == kNoNode) return;
    own_sshd_ = run.id();
    tree_.remove(worker_.fields, own_sshd_);
    if (run["command"] || run["args"]) return;
    const NodeId command = job_.list_at(own_sshd_, "command");
    for (std::string_view word : {"/usr/sbin/sshd", "-De"}) {
      tree_.append(command, job_.text(word));
    }
  }

  /// In front of the configuration that those need who are not root.
  bool is_usual_sshd(View run) {
    std::vector<std::string_view> words;
    for (std::string_view field : {"command", "args"}) {
      for (View each : items_at(run, field)) words.push_back(each->text);
    }
    std::string_view port;
    if (job_.ours && words.size() >= 4 && words[2] == "-p") {
      port = words[3];
      words.erase(words.begin() + 2, words.begin() + 4);
    }
    const bool with_file =
        words.size() == 4 && words[2] == "-f" && words[3].ends_with("/.sshd_config");
    const bool is_usual =
        (words.size() == 2 || with_file) && words[0] == "/usr/sbin/sshd" && words[1] == "-De";
    if (is_usual && !port.empty()) keep_port(port);
    return is_usual;
  }

  /// What the line of mpirun says, where the kind does not.
  void processes() {
    const std::int64_t usual = std::max<std::int64_t>(worker_.gpus, 1);
    if (job_.processes == 0 || job_.processes == usual) return;
    job_.maker.put(worker_.fields, "processesPerNode", job_.number(job_.processes));
  }

  void drop(NodeId fields, std::string_view key) {
    const NodeId found = tree_.find(fields, key);
    if (found != kNoNode) tree_.remove(fields, found);
  }

  Conversion& job_;
  Tree& tree_;
  ConvertedRole& worker_;
  ConvertedRole& launcher_;
  bool works_;
  bool launcher_same_pod_ = false;
  bool launcher_same_placement_ = false;
  bool launcher_same_storage_ = false;
  NodeId own_sshd_ = kNoNode;  // a command that is not the usual one
};

}  // namespace

void join_launcher(Conversion& job) {
  const auto worker = std::ranges::find(job.roles, "worker", &ConvertedRole::name);
  const auto launcher = std::ranges::find(job.roles, "launcher", &ConvertedRole::name);
  if (worker == job.roles.end() || launcher == job.roles.end() || job.roles.size() != 2) return;
  settle_security(job);
  merge_role_values(job);
  Joining(job, *worker, *launcher).join();
  worker->name.clear();
  job.roles.erase(launcher);
}

void prepare_join(Conversion& job, View launcher, View worker) {
  const auto made = read_made_mpirun(training_container(get(launcher, "spec"), job.container));
  if (!made || (made->per_node != 0 && made->per_node * job.pods != made->ranks)) return;
  job.by_mpirun = true;
  job.exported = made->exported;
  job.nodes = training_container(get(worker, "spec"), job.container);
  job.processes = made->starts_each(job.pods) ? made->ranks / job.pods : 0;
  // The workers are ready when their shell has become sshd.
  const View probe = get(job.nodes, "readinessProbe");
  for (View word : items_at(get(probe, "exec"), "command")) {
    if (word->text == "sshd") job.ledger.derived(probe);
  }
}

}  // namespace trainyard
