// trainyard-checks SOURCE FOLDER: compares the checks below a folder (templates/checks) with the
// schemas, tries their examples, and writes their rows as a C++ source. A fault stops the build.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "policy/policy_checks.h"
#include "schema/pack.h"
#include "schema/schema_check.h"
#include "tools/files.h"
#include "tools/read_tree.h"

using namespace trainyard;

namespace {

constexpr std::string_view kBegin = R"(#include "policy/data_checks.h"

namespace trainyard {
namespace {

constexpr Check kChecks[] = {
)";

constexpr std::string_view kMiddle = R"(};

constexpr DataCheckFile kFiles[] = {
)";

constexpr std::string_view kEnd = R"(};

}  // namespace

constinit const std::span<const Check> data_checks = kChecks;
constinit const std::span<const DataCheckFile> data_check_files = kFiles;

}  // namespace trainyard
)";

std::string quoted(std::string_view text) {
  return "R\"~(" + std::string(text) + ")~\"";
}

template <class Word>
std::string number(const char* type, Word word) {
  return "static_cast<" + std::string(type) + ">(" + std::to_string(static_cast<int>(word)) + ")";
}

CheckGroup group_of_word(std::string_view word) {
  return static_cast<CheckGroup>(std::ranges::find(kGroupWords, word) - kGroupWords.begin());
}

std::string row(const Check& check) {
  const char* subject = check.pod != nullptr ? "pod" : check.job != nullptr ? "job" : "object";
  std::string text = "    {.name = " + quoted(check.name);
  const auto add = [&](const char* field, const std::string& value) {
    text.append(",\n     .").append(field).append(" = ").append(value);
  };
  add("group", number("CheckGroup", group_of_word(check.policy_group)));
  add("effect", number("Effect", check.effect));
  add("stage", number("Stage", check.stage));
  add("opt_in", check.opt_in ? "true" : "false");
  add("on", quoted(check.on));
  add("sentence", quoted(check.sentence));
  add("source", quoted(check.source));
  add(subject, std::string("ask_data_check_of_") + subject);
  add("since", quoted(check.since));
  add("operators", "{.name = " + quoted(check.operators.name) +
                       ", .since = " + quoted(check.operators.since) +
                       ", .before = " + quoted(check.operators.before) + "}");
  add("severity", number("Severity", check.severity));
  add("because", quoted(check.because));
  add("fix", quoted(check.fix));
  return text + "},\n";
}

/// The rows of a file; what is wrong with it goes to `sink`.
std::string rows(const Tree& file, const SchemaPack& schemas, Checker& checker, Sink& sink) {
  const SchemaKind* kind = schemas.find("trainyard/v1alpha1", "Policy");
  report(checker.check(kind->schema, file, file.root()), file, {}, sink);
  if (sink.has_errors()) return {};
  const SchemaSource source{schemas, checker};
  const PolicyChecks checks(View(file, file.root()), {&source, 1}, PolicyAuthor::Program);
  const auto tell = [&](const std::vector<PolicyFault>& faults) {
    for (const PolicyFault& each : faults) {
      sink.report(DiagnosticKind::BadPolicy, each.at->span, each.message);
    }
  };
  tell(checks.faults());
  if (sink.has_errors()) return {};
  tell(test_policy(checks).faults);
  std::string text;
  for (const Check& each : checks.rows()) {
    for (std::string_view list : {"wrong", "right"}) {
      if (get(each.policy->at, list)) continue;
      sink.report(DiagnosticKind::BadPolicy, each.policy->at->span,
                  "`" + std::string(list) + "` is missing");
    }
    text += row(each);
  }
  return text;
}

int write_rows(const std::string& source, const std::string& folder) {
  const SchemaPack& schemas = SchemaPack::builtin();
  Checker checker(schemas);
  SourceMap sources;
  Sink sink;
  std::string text(kBegin);
  std::string files;
  for (const std::string& path : files_below(folder)) {
    if (!path.ends_with(".yaml")) continue;
    const Tree file = read_tree(sources, folder + "/" + path, sink);
    if (sink.has_errors()) continue;
    text += rows(file, schemas, checker, sink);
    const auto count = get(View(file, file.root()), "checks")->size;
    files += "    {" + quoted(std::string_view(path)) + ", " + std::to_string(count) + "},\n";
  }
  print(sink, sources, "trainyard-checks");
  if (sink.has_errors()) return 1;
  return write_bytes(source, text.append(kMiddle).append(files).append(kEnd)) ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: trainyard-checks SOURCE FOLDER\n");
    return 2;
  }
  try {
    return write_rows(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard-checks: %s\n", error.what());
    return 4;
  }
}
