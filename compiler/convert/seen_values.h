#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A value of a pod or a job, at a place that depends neither on the names of containers and
/// volumes nor on the order of lists: `env[NCCL_DEBUG]`, `mounts[/data].hostPath.path`.
struct SeenValue {
  std::string path;
  std::string text;
  View at;  // empty for a value that was worked out
};

/// Host names of one job, and words for them that another job of the same pods shares.
class PodNames {
 public:
  void add(const std::string& name, const std::string& word);
  /// Call it once, after the last name.
  void sort();
  std::string in(std::string text) const;

 private:
  std::vector<std::pair<std::string, std::string>> words_;
  std::string common_;  // with which all names begin: most texts do not have it
};

using Variables = std::map<std::string, std::string, std::less<>>;

/// All values of an effective pod, sorted by their places, with `$(NAME)` and fields of the pod
/// filled in. Those of its training container have no prefix.
std::vector<SeenValue> see_pod(View pod, const PodNames& names);
/// Values of a job outside of its pod templates.
std::vector<SeenValue> see_job(View job);
/// The container of a pod that trains, as controllers and builds name it.
View seen_container(View pod_spec);

/// What a command line starts: `program` without what only says where ranks meet, and `launch.*`
/// for that. It is the same whether options or variables say it.
/// @param told names of variables that a launcher reads or sets itself
void see_program(std::vector<std::string> words, const Variables& variables, std::int64_t gpus,
                 std::vector<SeenValue>& values, std::vector<std::string>& told);

/// `$(NAME)` filled in; unknown names stay.
std::string with_variables(std::string_view text, const Variables& variables);

}  // namespace trainyard
