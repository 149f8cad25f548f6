#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/picture/cluster_picture.h"
#include "driver/report/line_table.h"
#include "driver/why/cause_texts.h"
#include "emit/provenance.h"
#include "picture/picture.h"

namespace trainyard {

/// A job of a page.
struct ReportedJob {
  JobDemand demand;
  std::string name_space;          // "" for none
  std::optional<Picture> picture;  // nothing where no controller makes its pods
  std::string why_none;            // in the place of the picture
};

/// A spec with what a build makes of it, or a manifest. Texts are files of the session, so that no
/// line of them is shown with a secret.
struct ReportedFile {
  std::string path;
  std::size_t cluster = 0;  // for which it is built; index
  FileId spec = kNoFile;    // kNoFile for a manifest
  FileId made = kNoFile;    // kNoFile where nothing could be made
  std::string leaves;       // of `made`, as ReportData::leaves gives them
  std::vector<ReportedJob> jobs;
};

/// A Cluster of a page, or the lack of one.
struct ReportedCluster {
  std::string name;  // "" for none
  ClusterUse use;
  std::optional<Picture> picture;
};

/// What a page shows, as JSON:
///
///   {"title": "specs", "clusters": [...], "files": [...], "findings": [<render_json>...],
///    "lines": ["..."], "steps": [[kind, name, file, line, depth, text]...], "chains": [[0,1]...]}
///
/// A text is a list of numbers of lines. A file has `leaves`, three numbers for each value of its
/// output: the first line, the last line, and the chain of steps that led to the value. The numbers
/// of a step are lines, but for `line` and `depth`; -1 stands for nothing, and as a file for the
/// spec itself.
class ReportData {
 public:
  /// What the lines of an output come from; `spec` is the name of the file that it is made of.
  std::string leaves(const Provenance& causes, std::string_view spec);
  /// Names the files that leaves point into; comes before all that shows a text.
  void need(CauseTexts& texts) const;
  void add(const ReportedFile& file, CauseTexts& texts);
  /// Writes the steps of all leaves so far.
  void finish_steps(CauseTexts& texts);
  void add(const ReportedCluster& cluster, CauseTexts& texts);
  /// What render_json makes of some findings.
  void add_findings(std::string_view rendered);

  std::string json(std::string_view title) const;

 private:
  std::string text(FileId file, CauseTexts& texts);
  std::string text(std::string_view text);
  std::string picture(const std::optional<Picture>& picture, CauseTexts& texts);
  std::string job(const ReportedJob& job, CauseTexts& texts);
  std::size_t step(const Cause& cause, std::string_view spec);
  std::string line(std::string_view text);

  LineTable lines_;
  LineTable chains_;
  std::vector<Cause> steps_;  // without the name of the spec
  std::unordered_map<std::string, std::size_t> known_steps_;
  std::deque<std::string> finished_steps_;
  std::deque<std::string> clusters_;
  std::deque<std::string> files_;
  std::deque<std::string> findings_;
};

}  // namespace trainyard
