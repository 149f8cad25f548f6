// Objects that the inputs hold more than once.

#include "lints/core/duplicate_objects.h"

#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string kind_and_name(View object) {
  return std::string(string_at(object, "kind")) + " " + shown(string_of(metadata_name(object)));
}

bool is_same_text(View a, View b) {
  return equal(a.tree(), a.id(), b.tree(), b.id());
}

/// When a file is applied, a later object replaces the same one before it. Two of the same
/// text do no harm by themselves: manifests that are put together often bring one Namespace each.
void twice(View object, CheckContext& context) {
  const View first = context.old();
  const View name = metadata_name(object);
  const View first_name = metadata_name(first);
  if (!name || !first_name || name->span.file != first_name->span.file) return;
  const bool same = is_same_text(object, first);
  context
      .lint(name,
            kind_and_name(object) + " stands here a second time" +
                (same ? "" : ", and is another one: of the two only this one will be there"),
            same ? Severity::Warning : Severity::Error)
      .also(context.place(first_name), "the first one");
}

constexpr Check kChecks[] = {
    {.name = "object-twice",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .on = "any",
     .sentence = "No object stands twice in a file, a stream, or files that are applied together.",
     .source = "kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/registry/generic/registry/"
               "store.go Create: a name is taken once",
     .object = twice,
     .because = "`kubectl apply` lets the last one replace the others without a word; `kubectl "
                "create`, Helm and kustomize refuse the second one.",
     .fix = "give each a name or a namespace of its own, or leave one out"},
};

}  // namespace

const std::span<const Check> repeated_lints = kChecks;

void object_in_two_files(View object, View first, std::string_view kustomization,
                         CheckContext& context) {
  const bool is_output = kustomization.empty();
  const bool same = is_same_text(object, first);
  std::string message = kind_and_name(object) + " stands in another file, too, and ";
  if (!is_output) {
    message += shown(kustomization) + " lists both: kustomize refuses the second one";
  } else {
    message += "both lie in one directory of built files";
    if (!same) message += ": of the two only one will be there";
  }
  context
      .lint(metadata_name(object), std::move(message),
            is_output && same ? Severity::Warning : Severity::Error)
      .also(context.place(metadata_name(first)), "the first one");
}

}  // namespace trainyard
