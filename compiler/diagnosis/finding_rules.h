#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/program.h"
#include "tree/tree.h"

namespace trainyard {

/// What a finding is asked of.
enum class FindingScope { Job, Workload, Claim, Pod, Container, Event, Log };
/// What part a finding has in the failure, the most telling first.
enum class FindingRole { Root, Confirmation, Cascade };
enum class Certainty { Certain, Likely, Possible };

std::string_view name_of(FindingRole role);
std::string_view name_of(Certainty certainty);

/// A text with expressions in braces.
struct FindingText {
  struct Part {
    std::string_view text;                // as it stands
    std::optional<cel::Program> program;  // in its place
  };
  std::vector<Part> parts;
};

/// A change of a spec that helps: what it should say at `field`.
struct FindingEdit {
  std::string_view field;             // of a TrainingJob, `spec.resources.memory`; "" for no edit
  std::optional<cel::Program> value;  // what to write there
  std::int64_t times = 0;  // above 0: so many times what the spec says, else so many times `value`
};

/// An entry of templates/diagnosis/, whose README describes the fields.
struct FindingRule {
  std::string_view id;
  FindingScope scope = FindingScope::Job;
  std::optional<cel::Program> when;
  std::string_view pattern;  // of a line of a log
  FindingText says;
  std::string_view cause;  // `class` in the file
  std::string_view retry;
  FindingRole role = FindingRole::Root;
  Certainty certainty = Certainty::Possible;
  std::string_view about;
  std::vector<std::string_view> tries;
  FindingEdit edit;
  std::string_view source;
};

/// The variables of expressions, in their order. Those that a scope lacks are null.
std::span<const std::string_view> finding_variables();

/// What is wrong with a file of findings.
struct FindingFault {
  View at;
  std::string message;
};

class FindingRules {
 public:
  /// Those of the program.
  static const FindingRules& builtin();
  /// Its files.
  static std::span<const Tree> builtin_files();
  /// Of findings of the same name in both, that of `files` counts. The trees must outlive this.
  explicit FindingRules(std::span<const Tree> files, std::span<const Tree> behind = {});

  std::span<const FindingRule> all() const { return rules_; }
  /// What is wrong with the files.
  const std::vector<FindingFault>& faults() const { return faults_; }

 private:
  void add(View entry);
  FindingText text(std::string_view id, View at);
  FindingEdit edit(std::string_view id, View at);
  std::optional<cel::Program> program(std::string_view id, View at, std::string_view from);

  std::vector<FindingRule> rules_;
  void add_all(const Tree& file);
  void fault(View at, std::string_view id, std::string_view what);

  std::vector<FindingFault> faults_;
};

}  // namespace trainyard
