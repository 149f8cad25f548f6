#include "convert/convertible_kinds.h"

#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr const ConvertedKind* kKinds[] = {&kConvertJob,
                                           &kConvertPyTorchJob,
                                           &kConvertTFJob,
                                           &kConvertXGBoostJob,
                                           &kConvertPaddleJob,
                                           &kConvertJAXJob,
                                           &kConvertJobSet,
                                           &kConvertMPIJob,
                                           &kConvertTrainJob,
                                           &kConvertVolcanoJob,
                                           &kConvertRayJob,
                                           &kConvertLeaderWorkerSet,
                                           &kConvertTrainingWorkload,
                                           &kConvertDistributedWorkload,
                                           &kConvertHyperPodJob};

}  // namespace

std::span<const ConvertedKind* const> converted_kinds() {
  return kKinds;
}

const ConvertedKind* find_converted_kind(View object) {
  const std::string_view api_version = string_at(object, "apiVersion");
  const std::string_view version = api_version.substr(api_version.rfind('/') + 1);
  for (const ConvertedKind* each : kKinds) {
    const bool same = each->kind == string_at(object, "kind") &&
                      each->group == group_of(api_version) &&
                      (each->version.empty() || each->version == version);
    if (same) return each;
  }
  return nullptr;
}

}  // namespace trainyard
