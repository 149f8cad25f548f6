#pragma once

#include <string>
#include <string_view>

#include "cluster/api/api_paths.h"
#include "cluster/http/request.h"

namespace trainyard {

/// The field manager of everything that Trainyard applies.
inline constexpr std::string_view kFieldManager = "trainyard";

/// The `Accept` header of a request whose answer need not have more than the metadata.
inline constexpr std::string_view kMetadataOnly =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

struct ApplyOptions {
  bool dry_run = false;
  bool force = false;  // take over fields that another manager has
};

/// Server-side apply of an object, given as JSON or YAML. Unknown and repeated fields are errors.
Request apply_call(const ApiResource& resource, std::string_view name_space, std::string_view name,
                   std::string object, ApplyOptions options = {});
/// A merge patch, as `spec.suspend` needs; repeating it does no harm.
Request merge_patch_call(const ApiResource& resource, std::string_view name_space,
                         std::string_view name, std::string patch, bool dry_run = false);
/// Deletes in the foreground: pods first, the object last. Without that, a Job leaves its pods
/// behind. With a UID only that very object.
Request delete_call(const ApiResource& resource, std::string_view name_space, std::string_view name,
                    std::string_view uid, bool dry_run = false);
Request get_call(const ApiResource& resource, std::string_view name_space, std::string_view name);

}  // namespace trainyard
