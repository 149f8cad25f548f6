#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// What of a job its users think in.
struct TrainingTerms {
  bool is_workload = false;  // it runs pods that work together; else all is empty
  std::int64_t nodes = 0;    // pods that do the work, the most at one time
  std::int64_t gpus = 0;     // of all its pods
  std::string images;        // of the containers, each once
  std::string queue;
  std::string priority;
  std::string claims;  // names of the claims that it mounts
};
/// `runtime` is what a TrainJob runs on; an empty view for other kinds, or where it is not known.
TrainingTerms terms_of(View object, View runtime = {});

/// A term that differs. Values are fit for a terminal; "" where there is none.
struct TermChange {
  std::string_view term;  // `nodes`
  std::string before;
  std::string after;
};
std::vector<TermChange> changed_terms(const TrainingTerms& before, const TrainingTerms& after);

/// Whether one of these terms is about a change of the field at this path, such as
/// `spec.template.spec.containers[main].image`.
bool is_told_by(const std::vector<TermChange>& terms, std::string_view path);
/// Whether a field only follows from others: a digest, or the name of a run.
bool is_derived(std::string_view path);

}  // namespace trainyard
