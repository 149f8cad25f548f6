#include "driver/convert/plain_names.h"

#include <map>

#include "manifest/metadata.h"
#include "plan/plan.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Jobs, and the run of each; "" for several.
using Runs = std::map<std::string, std::string>;

void add_runs(View object, Runs& runs) {
  for (View item : items_at(object, "items")) add_runs(item, runs);
  const std::string job(label(object, kJobLabel).text());
  const std::string run(label(object, kRunLabel).text());
  if (job.empty() || run.empty()) return;
  const auto [known, is_new] = runs.emplace(job, run);
  if (!is_new && known->second != run) known->second.clear();
}

class Renamer {
 public:
  Renamer(Tree& tree, const Runs& runs) : tree_(tree), runs_(runs) {}

  void rename(NodeId id) {
    if (tree_[id].is_scalar()) return rename_in_text(id);
    std::vector<NodeId> labels;
    for (NodeId child : tree_.children(id)) {
      if (is_label(child)) {
        labels.push_back(child);
      } else {
        rename(child);
      }
    }
    for (NodeId each : labels) tree_.remove(id, each);
  }

 private:
  bool is_label(NodeId id) const {
    const Node& node = tree_[id];
    for (const auto& [job, run] : runs_) {
      if (node.key == kJobLabel && node.text == job) return true;
      if (node.key == kRunLabel && node.text == run) return true;
    }
    return false;
  }

  void rename_in_text(NodeId id) {
    std::string text(tree_[id].text);
    for (const auto& [job, run] : runs_) {
      const std::string name = job + "-" + run;
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        text.replace(at, name.size(), job);
        at += job.size();
      }
    }
    if (text != tree_[id].text) tree_[id].text = tree_.intern(text);
  }

  Tree& tree_;
  const Runs& runs_;
};

}  // namespace

std::set<std::string> use_plain_names(std::vector<Document>& documents) {
  Runs runs;
  for (const Document& each : documents) add_runs(each.root(), runs);
  std::erase_if(runs, [](const auto& each) { return each.second.empty(); });
  std::set<std::string> jobs;
  for (const auto& [job, run] : runs) jobs.insert(job);
  if (jobs.empty()) return jobs;
  for (Document& each : documents) Renamer(each.tree, runs).rename(each.tree.root());
  return jobs;
}

}  // namespace trainyard
