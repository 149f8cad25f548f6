#include "policy/policy_types.h"

#include "cel/type_check.h"
#include "diag/suggest.h"
#include "diag/words.h"

namespace trainyard {
namespace {

using Step = PolicyPath::Step;

/// The schema one step below another: kAnySchema if anything may be there, nothing if nothing may.
std::optional<SchemaId> below(const SchemaPack& pack, SchemaId schema,
                              const PolicyPath::Part& part) {
  const SchemaNode& node = pack[schema];
  if (schema == kAnySchema || (node.flags & kPreserveUnknown) != 0) return kAnySchema;
  if (part.step == Step::Items) {
    if (node.items != kNoLimit) return node.items;
    return node.types == 0 ? std::optional(kAnySchema) : std::nullopt;
  }
  if (part.step == Step::Field) {
    if (const auto found = pack.property(node, part.name)) return found;
  }
  if (node.additional != kNoLimit) return node.additional;
  if (part.step == Step::Entries) return kAnySchema;
  return (node.flags & kClosed) != 0 ? std::nullopt : std::optional(kAnySchema);
}

/// In a pod template `containers` is that of its spec, for which the other lists are like it.
std::vector<PolicyPath::Part> schema_parts(const PolicyCheck& check, const PolicyPath& path) {
  std::vector<PolicyPath::Part> parts = path.parts;
  const bool is_short = check.subject == PolicyCheck::Subject::Pod && !parts.empty() &&
                        parts.front().name == "containers";
  if (is_short) parts.insert(parts.begin(), {Step::Field, "spec"});
  return parts;
}

bool is_for(const PolicyPart& part, std::string_view kind) {
  return part.kind.empty() || part.kind == kind;
}

PolicyTypeFault no_field(const SchemaPack& pack, SchemaId schema, const PolicyPath::Part& part) {
  if (part.step != Step::Field) return {"there is no list at this path", {}};
  std::vector<std::string_view> fields;
  for (const SchemaProperty& each : pack.properties(pack[schema])) {
    fields.push_back(pack.text(each.name));
  }
  const auto near = suggest(part.name, fields);
  return {"there is no field " + shown(part.name) + " at this path" +
              (near ? "; did you mean " + shown(*near) + "?" : ""),
          {}};
}

}  // namespace

std::optional<PolicyTypeFault> PolicyTyping::fault_in(const cel::Program& program) const {
  for (const Case& each : cases_) {
    const cel::Typed typed = cel::check_types(program, each.variables, *each.types);
    if (!typed.fault) continue;
    const std::vector<std::string_view> fields(typed.fault->fields.begin(),
                                               typed.fault->fields.end());
    const auto near = typed.fault->name.empty() ? std::nullopt : suggest(typed.fault->name, fields);
    return PolicyTypeFault{typed.fault->message, std::string(near.value_or(""))};
  }
  return std::nullopt;
}

PolicyTypes::PolicyTypes(const PolicyCheck& check, SchemaSources schemas) : check_(check) {
  for (const SchemaSource& source : schemas) {
    switch (check.subject) {
      case PolicyCheck::Subject::Pod:
        add(source, source.pack.find_definition("", "v1", "PodTemplateSpec"));
        break;
      case PolicyCheck::Subject::Job:
        add(source, source.pack.find_definition("batch", "v1", "JobSpec"));
        break;
      case PolicyCheck::Subject::Object:
        for (const PolicyKind& wanted : check.kinds) {
          for (const SchemaKind& each : source.pack.kinds()) {
            const bool fits =
                source.pack.text(each.kind) == wanted.kind &&
                source.pack.text(each.group) == wanted.group && each.before.size == 0 &&
                (wanted.version.empty() || source.pack.text(each.version) == wanted.version);
            if (fits) add(source, &each);
          }
        }
        break;
    }
  }
}

void PolicyTypes::add(const SchemaSource& source, const SchemaKind* kind) {
  if (kind == nullptr) return;
  Subject& subject = subjects_.emplace_back();
  subject.pack = &source.pack;
  subject.kind = source.pack.text(kind->kind);
  subject.schema = kind->schema;
  subject.of_schemas.emplace(source.pack, subject.types);
}

PolicyTyping PolicyTypes::without_value() {
  PolicyTyping result;
  add_typing(nullptr, result);
  return result;
}

PolicyTyping PolicyTypes::of_values(std::span<const PolicyPart> paths) {
  PolicyTyping result;
  for (const PolicyPart& each : paths) add_typing(&each, result);
  return result;
}

/// Kinds whose schema lacks the path have no value there.
void PolicyTypes::add_typing(const PolicyPart* part, PolicyTyping& to) {
  for (Subject& subject : subjects_) {
    if (part != nullptr && !is_for(*part, subject.kind)) continue;
    std::vector<cel::TypeRef> variables(check_.variables.size(), subject.types.dynamic());
    const cel::TypeRef whole = subject.of_schemas->of(subject.schema);
    variables[kPolicyRole] = variables[kPolicyKey] = variables[kPolicyFault] =
        subject.types.simple(cel::Type::String);
    if (check_.subject == PolicyCheck::Subject::Pod) variables[kPolicyPod] = whole;
    if (check_.subject == PolicyCheck::Subject::Job) variables[kPolicyJob] = whole;
    if (check_.subject == PolicyCheck::Subject::Object) variables[kPolicyObject] = whole;
    if (part != nullptr) {
      std::optional<SchemaId> schema = subject.schema;
      for (const PolicyPath::Part& step : schema_parts(check_, part->path)) {
        if (schema) schema = below(*subject.pack, *schema, step);
      }
      if (!schema) continue;
      variables[kPolicySelf] = subject.of_schemas->of(*schema);
    }
    to.cases_.push_back({&subject.types, std::move(variables)});
  }
}

std::optional<PolicyTypeFault> PolicyTypes::fault_in(const PolicyPart& part) const {
  std::optional<PolicyTypeFault> fault;
  for (const Subject& subject : subjects_) {
    if (!is_for(part, subject.kind)) continue;
    std::optional<SchemaId> schema = subject.schema;
    std::optional<PolicyTypeFault> here;
    for (const PolicyPath::Part& step : schema_parts(check_, part.path)) {
      const SchemaId from = *schema;
      schema = below(*subject.pack, from, step);
      if (schema) continue;
      here = no_field(*subject.pack, from, step);
      break;
    }
    if (!here) return std::nullopt;
    fault = std::move(here);
  }
  return fault;
}

}  // namespace trainyard
