#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "driver/build/output_directory.h"
#include "emit/provenance.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

/// Names of jobs have neither dots nor underscores, so none of these can be another job's.
std::string file_name(const KeptOutput& job, bool name_is_shared) {
  if (name_is_shared && !job.ns.empty()) return job.ns + "." + job.name + ".yaml";
  return job.name + (last_step(job.name) == "kustomization" ? "_.yaml" : ".yaml");
}

}  // namespace

std::vector<OutputFile> lay_out(std::vector<KeptOutput> jobs) {
  std::map<std::string, int, std::less<>> uses;
  for (const KeptOutput& job : jobs) ++uses[job.name];
  std::vector<OutputFile> files;
  for (KeptOutput& job : jobs) {
    const std::string name = file_name(job, uses[job.name] > 1);
    const Span place = job.causes.job;
    files.push_back({name, job.text, std::move(job.causes)});
    if (job.map.size == 0) continue;
    files.push_back({name + std::string(kProvenanceSuffix), job.map, {place, {}}});
  }
  std::sort(files.begin(), files.end(),
            [](const OutputFile& a, const OutputFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace trainyard
