#include <string>

#include "rules/context.h"
#include "rules/rule.h"
#include "source/credentials.h"
#include "source/secrets.h"
#include "spec/credential_literals.h"

namespace trainyard {
namespace {

void refuse(RuleContext& context, Span value, std::string_view what) {
  refuse_credential(value, what, true, context.sink);
}

void named_variables(RuleContext& context, const TextMap& variables) {
  for (const auto& entry : *variables) {
    if (!is_named_credential(entry.key, *entry.value)) continue;
    if (find_credential(*entry.value)) continue;  // said already
    refuse(context, entry.value.span, "a credential, by the name of its variable,");
  }
}

void refuse_argument(RuleContext& context, Span word) {
  refuse(context, word, "a credential, by the name of its option,");
}

void named_arguments(RuleContext& context, const TextList& words) {
  CredentialWords arguments;
  for (const Text& word : *words) {
    if (arguments.holds_one(*word)) refuse_argument(context, word.span);
  }
}

/// `export TOKEN=abc`, and options with their values.
void in_script(RuleContext& context, const Text& script) {
  if (!script || find_credential(*script) || find_secrets(*script).empty()) return;
  refuse(context, script.span, "a credential, by the name that it stands under,");
}

/// Variables and arguments of a part in Kubernetes' shape.
void in_pod(RuleContext& context, View part) {
  const View name = part["name"];
  const View value = part["value"];
  if (name && value && value->is_scalar() && is_named_credential(name.text(), value.text()) &&
      !find_credential(value.text())) {
    refuse(context, value->span, "a credential, by the name of its variable,");
  }
  const Tree& tree = part.tree();
  for (NodeId id : tree.children(part.id())) {
    const View entry(tree, id);
    if (entry->is_seq() && (entry->key == "args" || entry->key == "command")) {
      CredentialWords arguments;
      for (NodeId word : tree.children(id)) {
        if (arguments.holds_one(tree[word].text)) refuse_argument(context, tree[word].span);
      }
    } else {
      in_pod(context, entry);
    }
  }
}

void in_role(RuleContext& context, const RoleInput& input) {
  if (input.own != nullptr) named_variables(context, input.own->env);
  const Run& run = *context.of(input, &RoleFields::run);
  named_arguments(context, run.args);
  named_arguments(context, run.launcher_args);
  named_arguments(context, run.command);
  in_script(context, run.shell);
  for (const Text& line : *run.before) in_script(context, line);
  const Shape& pod = context.of(input, &RoleFields::pod);
  if (pod) in_pod(context, View(context.tree_of(pod.span), pod.node));
}

/// Its text stands in the spec and is looked at there.
bool is_literal(const RuleContext& context, const LoadedFile& file) {
  for (const auto& item : *context.spec.files->items) {
    if (item->content && item->path && *item->path == file.path) return true;
  }
  return false;
}

void run(RuleContext& context) {
  refuse_credentials(*context.in.job_tree, context.in.job_tree->root(), context.sink);
  for (const LoadedFile& file : context.in.files) {
    const auto found = find_written_secret(file.bytes);
    if (!found || is_literal(context, file)) continue;
    refuse_credential(file.span, std::string(found->what) + " in `" + file.path + "`", false,
                      context.sink);
  }
  named_variables(context, context.spec.env);
  for (const RoleInput& input : context.roles) in_role(context, input);
}

}  // namespace

extern const Rule credential_check_rule{
    "credential-check",
    Rule::Phase::Check,
    "No credential stands in the spec, in an argument or in a staged file; none is ever printed.",
    "Manifests are kept in Git, in the API server and in every `kubectl describe`.",
    "spec",
    "",
    run};

}  // namespace trainyard
