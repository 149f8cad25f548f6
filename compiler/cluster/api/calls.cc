#include "cluster/api/calls.h"

#include <utility>

#include "diag/words.h"

namespace trainyard {
namespace {

std::string all_if(bool dry_run) {
  return dry_run ? "All" : "";
}

}  // namespace

Request apply_call(const ApiResource& resource, std::string_view name_space, std::string_view name,
                   std::string object, ApplyOptions options) {
  const Query query = {{"fieldManager", std::string(kFieldManager)},
                       {"fieldValidation", "Strict"},
                       {"dryRun", all_if(options.dry_run)},
                       {"force", options.force ? "true" : ""}};
  return {.method = Method::Patch,
          .path = object_path(resource, name_space, name, query),
          .body = std::move(object),
          .content_type = "application/apply-patch+yaml",
          .writes = !options.dry_run};
}

Request merge_patch_call(const ApiResource& resource, std::string_view name_space,
                         std::string_view name, std::string patch, bool dry_run) {
  const Query query = {{"fieldManager", std::string(kFieldManager)},
                       {"fieldValidation", "Strict"},
                       {"dryRun", all_if(dry_run)}};
  return {.method = Method::Patch,
          .path = object_path(resource, name_space, name, query),
          .body = std::move(patch),
          .content_type = "application/merge-patch+json",
          .writes = !dry_run};
}

Request delete_call(const ApiResource& resource, std::string_view name_space, std::string_view name,
                    std::string_view uid, bool dry_run) {
  std::string options =
      R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground")";
  if (!uid.empty()) options += ",\"preconditions\":{\"uid\":" + quoted(uid) + "}";
  return {.method = Method::Delete,
          .path = object_path(resource, name_space, name, {{"dryRun", all_if(dry_run)}}),
          .body = options + "}",
          .content_type = "application/json",
          .repeatable = dry_run || !uid.empty(),
          .writes = !dry_run};
}

Request get_call(const ApiResource& resource, std::string_view name_space, std::string_view name) {
  return {.path = object_path(resource, name_space, name)};
}

}  // namespace trainyard
