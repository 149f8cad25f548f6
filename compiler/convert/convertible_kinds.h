#pragma once

#include <span>
#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

/// A kind that becomes a TrainingJob.
struct ConvertedKind {
  std::string_view group;
  std::string_view kind;
  std::string_view version;  // the only one that is known; "" for all
  /// Takes the object apart. The metadata has been read.
  void (*read)(Conversion& job);
};

std::span<const ConvertedKind* const> converted_kinds();
const ConvertedKind* find_converted_kind(View object);

// The tables, each in the file of its kind.
extern const ConvertedKind kConvertJob;
extern const ConvertedKind kConvertPyTorchJob;
extern const ConvertedKind kConvertTFJob;
extern const ConvertedKind kConvertXGBoostJob;
extern const ConvertedKind kConvertPaddleJob;
extern const ConvertedKind kConvertJAXJob;
extern const ConvertedKind kConvertJobSet;
extern const ConvertedKind kConvertMPIJob;
extern const ConvertedKind kConvertTrainJob;
extern const ConvertedKind kConvertVolcanoJob;
extern const ConvertedKind kConvertRayJob;
extern const ConvertedKind kConvertLeaderWorkerSet;
extern const ConvertedKind kConvertTrainingWorkload;
extern const ConvertedKind kConvertDistributedWorkload;
extern const ConvertedKind kConvertHyperPodJob;

}  // namespace trainyard
