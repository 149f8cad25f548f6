#include "rules/role_references.h"

#include <algorithm>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "rules/host_names.h"
#include "rules/mentions.h"

namespace trainyard {
namespace {

constexpr std::string_view kRoles = "roles.";
constexpr std::string_view kPorts = "ports.";
/// As much of a program's words or variables as the kernel takes in one (linux/linux
/// include/uapi/linux/binfmts.h MAX_ARG_STRLEN).
constexpr std::size_t kLongest = 131'072;

std::string reference_text(std::string_view reference) {
  return code("$(" + std::string(reference) + ")");
}

}  // namespace

void RoleReferences::resolve(Run& run) const {
  for (TextList* words : {&run.command, &run.args, &run.launcher_args, &run.before})
    resolve(*words);
  for (Text* text : {&run.script, &run.shell, &run.working_dir}) resolve(*text);
}

void RoleReferences::resolve(TextMap& variables) const {
  for (auto& each : variables.value) resolve(each.value);
}

void RoleReferences::resolve(TextList& words) const {
  for (Text& word : words.value) resolve(word);
}

void RoleReferences::resolve(Text& text) const {
  std::string result;
  std::size_t done = 0;
  each_mention(*text, [&](std::string_view name) {
    if (!name.starts_with(kRoles)) return;
    const std::size_t at = static_cast<std::size_t>(name.data() - text->data()) - 2;
    result += text->substr(done, at - done);
    result += value(name, text);
    done = at + name.size() + 3;
  });
  if (done == 0) return;
  result += text->substr(done);
  if (result.size() >= kLongest) {
    context_.report(DiagnosticKind::BadLength, text.span,
                    "the addresses in this text make it " + std::to_string(result.size()) +
                        " bytes long; a program takes at most " + std::to_string(kLongest - 1));
  }
  text.value = context_.text(result);
}

std::string_view RoleReferences::value(std::string_view reference, const Text& text) const {
  if (context_.in.target->entrypoint) {
    context_
        .report(DiagnosticKind::NotExpressible, text.span,
                "target " + code(context_.in.target->name) + " knows no " +
                    reference_text(reference) + ": its one program starts what runs on a role")
        .note(
            "in the program, `ray.nodes()` has the addresses, and "
            "`ray.cluster_resources()` the number of nodes under the name of the role");
    return {};
  }
  const std::string_view path = reference.substr(kRoles.size());
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view name = path.substr(0, dot);
  std::vector<std::string> names;
  for (const RoleInput& role : context_.roles) {
    if (role.role->name == name) {
      const RoleSpec& own = **find(*context_.spec.roles, name);
      return value(role, own, path.substr(std::min(dot + 1, path.size())), text);
    }
    names.emplace_back(role.role->name);
  }
  Diagnostic& report = context_.report(DiagnosticKind::UnknownReference, text.span,
                                       reference_text(reference) + " names no role of this job");
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = suggest(name, candidates);
  report.note(near ? "did you mean " + code(*near) + "?" : "its roles are " + listed(names, "and"));
  return {};
}

std::string_view RoleReferences::value(const RoleInput& role, const RoleSpec& own,
                                       std::string_view field, const Text& text) const {
  const std::string_view name = role.role->name;
  const std::int64_t groups = *role.role->parts;
  const std::int64_t count = groups > 1 ? groups : *role.role->replicas;
  if (field == "count") return context_.number(count);
  const bool is_port = field == "port" || field.starts_with(kPorts);
  if (!is_port && field != "address" && field != "addresses") {
    context_
        .report(DiagnosticKind::UnknownReference, text.span,
                "a role has no " + code(field) + " that another one can read")
        .note(find(*own.expose, field) != nullptr
                  ? "the port of this name is " + reference_text("roles." + std::string(name) +
                                                                 ".ports." + std::string(field))
                  : "`address`, `addresses`, `port`, `ports.NAME` and `count` are known of a role");
    return {};
  }
  if (own.expose->empty()) {
    context_
        .report(DiagnosticKind::MissingChoice, text.span,
                "role " + code(name) + " has no " + (is_port ? "port" : "address") +
                    ": it exposes no ports")
        .note("name the port that it listens on: `expose: {http: 8000}`");
    return {};
  }
  if (is_port) {
    return port(own, field == "port" ? std::string_view() : field.substr(kPorts.size()), name,
                text);
  }
  std::string hosts = host_of(context_, *role.role, 0);
  if (field == "addresses") {
    for (std::int64_t i = 1; i < count && hosts.size() < kLongest; ++i) {
      hosts += "," + (groups > 1 ? host_in_group(context_, *role.role, std::to_string(i), 0)
                                 : host_of(context_, *role.role, i));
    }
  }
  return context_.text(hosts);
}

std::string_view RoleReferences::port(const RoleSpec& own, std::string_view name,
                                      std::string_view role, const Text& text) const {
  std::vector<std::string> known;
  for (const auto& each : *own.expose) {
    if (each.key == name || (name.empty() && own.expose->size() == 1)) {
      return context_.number(*each.value);
    }
    known.emplace_back(each.key);
  }
  if (name.empty()) {
    context_
        .report(DiagnosticKind::UnknownReference, text.span,
                "role " + code(role) + " exposes several ports: " + listed(known, "and"))
        .note("name one of them: " + reference_text("roles." + std::string(role) + ".ports." +
                                                    std::string(own.expose->front().key)));
  } else {
    context_.report(DiagnosticKind::UnknownReference, text.span,
                    "role " + code(role) + " exposes no port " + code(name) + "; it has " +
                        listed(known, "and"));
  }
  return {};
}

}  // namespace trainyard
