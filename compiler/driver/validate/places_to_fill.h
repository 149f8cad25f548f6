#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "diag/sink.h"
#include "source/source_map.h"

namespace trainyard {

/// Places of manifests that another program or the reader has yet to fill in, by the findings
/// there: one finding for a file covers them all.
class PlacesToFill {
 public:
  PlacesToFill(const SourceMap& sources, const std::vector<Diagnostic>& all);

  /// Whether the finding of the file covers a finding. Of a file that a walk found, and a program
  /// fills in, what may go wrong with a job, and what an object lacks, is reported when it is
  /// rendered.
  bool folds(const Diagnostic& each, const std::set<FileId>& walked) const;

  /// Reports one finding for each file: a note where a walk found it, else an error.
  /// Returns how many documents have such places, of those that can be read.
  std::size_t report(const std::set<FileId>& walked, Sink& sink) const;

 private:
  struct Places {
    std::map<std::uint32_t, DiagnosticKind> kinds;  // what each breaks, by its offset
    bool breaks_text = false;                       // no YAML before they are filled in
    bool is_form = false;                           // with values left empty for a program
    bool for_program = false;                       // which may change the rest as well
  };

  /// `name:` in a folder of templates: a program of the repository reads the file and fills it in.
  bool is_left_empty(const Diagnostic& each, std::map<FileId, bool>& has_names_to_fill) const;
  bool is_at_placeholder(const Diagnostic& each) const;
  /// Whether what is no YAML comes from what is to be filled in: an engine or words of the file, or
  /// a placeholder of the line or of that before it.
  bool breaks_as_template(Span at);

  const SourceMap& sources_;
  std::map<FileId, bool> templates_;  // by what stands anywhere in them
  std::map<FileId, Places> files_;
};

}  // namespace trainyard
