#include "convert/launcher.h"

#include <algorithm>
#include <vector>

#include "check/read.h"

namespace trainyard {
namespace {

class Joining {
 public:
  Joining(Conversion& job, ConvertedRole& worker, ConvertedRole& launcher)
      : job_(job), tree_(job.maker.tree), worker_(worker), launcher_(launcher) {}

  /// The fields that remain of the launcher.
  NodeId join() {
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
    for (NodeId each : same) tree_.remove(launcher_.fields, each);
    return launcher_.fields;
  }

 private:
  /// The workers run sshd, whether they say so or not.
  void take_out_sshd() {
    const View run = job_.maker.view(worker_.fields)["run"];
    const View command = run ? run["command"] : View();
    const View first = has_items(command) ? *Items(command).begin() : View();
    if (first && first->text.ends_with("/sshd")) drop(worker_.fields, "run");
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
};

}  // namespace

void join_launcher(Conversion& job) {
  const auto worker = std::ranges::find(job.roles, "worker", &ConvertedRole::name);
  const auto launcher = std::ranges::find(job.roles, "launcher", &ConvertedRole::name);
  if (worker == job.roles.end() || launcher == job.roles.end() || job.roles.size() != 2) return;
  const NodeId rest = Joining(job, *worker, *launcher).join();
  worker->name.clear();
  job.roles.erase(launcher);
  if (job.maker.tree[rest].size != 0) job.further_roles.emplace_back("launcher", rest);
}

}  // namespace trainyard
