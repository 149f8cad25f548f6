#pragma once

#include <map>
#include <string>
#include <string_view>

#include "driver/session/session.h"
#include "emit/artifact.h"

namespace trainyard {

/// The claims of an output directory before and after a run. What an API server refuses of a claim
/// that is there can only come true if the claim is deleted, with all that jobs have written.
class ChangedClaims {
 public:
  /// The session must outlive this.
  explicit ChangedClaims(Session& session) : session_(session) {}

  /// Notes the claims in a file that is replaced or removed.
  void add_before(const std::string& path, std::string_view text);
  bool has_none() const { return before_.empty(); }

  /// Reports each claim in the text of a file that differs from one of its name in a way that an
  /// API server refuses: an error in the session's sink, at the place in the spec.
  void report_after(std::string_view text, const FileCauses& causes);

 private:
  struct Claim {
    std::string path;
    std::string text;
  };

  Session& session_;
  std::map<std::string, Claim> before_;  // by namespace and name
};

}  // namespace trainyard
