#include "admission/admission_scope.h"

namespace trainyard {
namespace {

cel::TypeRef texts(ExpressionScope& scope, std::string name,
                   std::initializer_list<std::string_view> fields) {
  std::vector<cel::TypeField> found;
  for (std::string_view field : fields) found.push_back({std::string(field), scope.text()});
  return scope.types.object(std::move(name), std::move(found));
}

cel::TypeRef request_type(ExpressionScope& scope) {
  cel::Types& types = scope.types;
  const cel::TypeRef kind = texts(scope, "kind", {"group", "version", "kind"});
  const cel::TypeRef resource = texts(scope, "resource", {"group", "version", "resource"});
  const cel::TypeRef names = types.list(scope.text());
  const cel::TypeRef user = types.object("userInfo", {{"username", scope.text()},
                                                      {"uid", scope.text()},
                                                      {"groups", names},
                                                      {"extra", types.map(scope.text(), names)}});
  return types.object("request", {{"kind", kind},
                                  {"resource", resource},
                                  {"subResource", scope.text()},
                                  {"requestKind", kind},
                                  {"requestResource", resource},
                                  {"requestSubResource", scope.text()},
                                  {"name", scope.text()},
                                  {"namespace", scope.text()},
                                  {"operation", scope.text()},
                                  {"userInfo", user},
                                  {"dryRun", scope.boolean()},
                                  {"options", types.dynamic()}});
}

cel::TypeRef namespace_type(ExpressionScope& scope) {
  cel::Types& types = scope.types;
  const cel::TypeRef names = types.list(scope.text());
  const cel::TypeRef pairs = types.map(scope.text(), scope.text());
  const cel::TypeRef metadata =
      types.object("metadata", {{"name", scope.text()},
                                {"generateName", scope.text()},
                                {"namespace", scope.text()},
                                {"labels", pairs},
                                {"annotations", pairs},
                                {"UID", scope.text()},
                                {"creationTimestamp", scope.time()},
                                {"deletionGracePeriodSeconds", scope.integer()},
                                {"deletionTimestamp", scope.time()},
                                {"generation", scope.integer()},
                                {"resourceVersion", scope.text()},
                                {"finalizers", names}});
  const cel::TypeRef condition = types.object("condition", {{"status", scope.text()},
                                                            {"type", scope.text()},
                                                            {"lastTransitionTime", scope.time()},
                                                            {"message", scope.text()},
                                                            {"reason", scope.text()}});
  return types.object("namespaceObject",
                      {{"metadata", metadata},
                       {"spec", types.object("spec", {{"finalizers", names}})},
                       {"status", types.object("status", {{"conditions", types.list(condition)},
                                                          {"phase", scope.text()}})}});
}

}  // namespace

void declare_request(ExpressionScope& scope, bool has_params, bool has_authorizer) {
  scope.declare("object", scope.types.dynamic());
  scope.declare("oldObject", scope.types.dynamic());
  scope.declare("namespaceObject", namespace_type(scope));
  scope.declare("request", request_type(scope));
  if (has_params) scope.declare("params", scope.types.dynamic());
  if (!has_authorizer) return;
  scope.declare("authorizer", scope.types.object("Authorizer", {}));
  scope.declare("authorizer.requestResource", scope.types.object("ResourceCheck", {}));
}

}  // namespace trainyard
