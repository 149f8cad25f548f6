// Objects that the inputs hold more than once.

#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whoever applies a file lets the object behind replace the same one before it. Two of the same
/// text do no harm by themselves: manifests that are put together often bring one Namespace each.
void twice(View object, CheckContext& context) {
  const View first = context.old();
  const View name = get(get(object, "metadata"), "name");
  const View first_name = get(get(first, "metadata"), "name");
  if (!name || !first_name || name->span.file != first_name->span.file) return;
  const std::string what = std::string(string_at(object, "kind")) + " " + shown(string_of(name));
  const bool same = equal(object.tree(), object.id(), first.tree(), first.id());
  context
      .lint(name,
            what + " stands here a second time" +
                (same ? "" : ", and is another one: of the two only this one will be there"),
            same ? Severity::Warning : Severity::Error)
      .also(context.place(first_name), "the first one");
}

constexpr Check kChecks[] = {
    {.name = "object-twice",
     .on = "any",
     .sentence = "No object stands twice in a file or stream.",
     .source = "kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/registry/generic/registry/"
               "store.go Create: a name is taken once",
     .object = twice,
     .severity = Severity::Error,
     .because = "`kubectl apply` lets the last one replace the others without a word; `kubectl "
                "create`, Helm and kustomize refuse the second one.",
     .fix = "give each a name or a namespace of its own, or leave one out"},
};

}  // namespace

const std::span<const Check> repeated_lints = kChecks;

}  // namespace trainyard
