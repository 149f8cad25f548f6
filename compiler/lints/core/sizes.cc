// What is too long for Linux, or for the store of the API server.

#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/kinds.h"
#include "manifest/launch.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// torvalds/linux include/uapi/linux/binfmts.h MAX_ARG_STRLEN: 32 pages, with the zero at the end.
constexpr std::size_t kLongest = 131'071;

std::string bytes(std::size_t count) {
  return std::to_string(count) + " bytes";
}

void lengths_in(View container, CheckContext& context) {
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      if (!argument->is_scalar() || argument->text.size() <= kLongest) continue;
      context.lint(argument, "this argument has " + bytes(argument->text.size()) +
                                 ", and Linux takes at most " + bytes(kLongest) + " in one");
      return;
    }
  }
  for (View variable : items_at(container, "env")) {
    const View value = get(variable, "value");
    if (!value || !value->is_scalar()) continue;
    const std::size_t length = string_at(variable, "name").size() + 1 + value->text.size();
    if (length <= kLongest) continue;
    context.lint(value, "variable " + shown(string_at(variable, "name")) + " has " + bytes(length) +
                            " with its name, and Linux takes at most " + bytes(kLongest) +
                            " in one");
    return;
  }
}

void argument_length(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) lengths_in(each.node, context);
}

void length_of_trainer(const Workload& workload, CheckContext& context) {
  if (workload.kind == "TrainJob") lengths_in(get(workload.spec, "trainer"), context);
}

/// etcd-io/etcd server/embed/config.go DefaultMaxRequestBytes
constexpr std::size_t kMostOfStore = 1'572'864;

/// Whether all texts of the document are below a size, without a walk through the object.
bool is_surely_below(const Tree& tree, std::size_t most) {
  std::size_t size = 0;
  for (NodeId id = 0; id < tree.size(); ++id) size += tree[id].key.size() + tree[id].text.size();
  return size <= most;
}

/// The texts of an object; what the store adds to them is not counted.
std::size_t size_of(View value) {
  if (value->is_scalar()) return value->text.size();
  std::size_t size = 0;
  for (View each : Items(value)) size += each.key().size() + size_of(each);
  return size;
}

void object_size(View object, CheckContext& context) {
  if (context.is_ours()) return;  // of its parts, files and arguments, others speak
  if (is_list(object)) return;    // kubectl sends each of its objects
  if (is_surely_below(object.tree(), kMostOfStore)) return;
  const std::size_t size = size_of(object);
  if (size <= kMostOfStore) return;
  const View kind = get(object, "kind");
  context.lint(kind ? kind : object, "this object has " + bytes(size) +
                                         ", and etcd takes at most " + bytes(kMostOfStore) +
                                         " in one request");
}

constexpr Check kChecks[] = {
    {.name = "argument-length",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "Arguments and variables of a container are not too long for Linux.",
     .source = "torvalds/linux include/uapi/linux/binfmts.h MAX_ARG_STRLEN; fs/exec.c copy_strings",
     .pod = argument_length,
     .workload = length_of_trainer,
     .because = "The kernel refuses to start the program: `Argument list too long`.",
     .fix = "put the text into a ConfigMap that is mounted as a file, or into the image"},
    {.name = "object-size",
     .group = CheckGroup::Core,
     .on = "any",
     .sentence = "An object fits into one request to etcd.",
     .source = "etcd-io/etcd server/embed/config.go DefaultMaxRequestBytes",
     .object = object_size,
     .because = "The API server cannot store it: `etcdserver: request is too large`.",
     .fix = "part the object, or put its large texts into the image or onto a volume"},
};

}  // namespace

const std::span<const Check> size_lints = kChecks;

}  // namespace trainyard
