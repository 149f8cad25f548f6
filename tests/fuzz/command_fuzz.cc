// Arbitrary bytes as the files of commands, and as what parts of them read that users write. The
// first byte says which (see kUses).

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cel/evaluate.h"
#include "cel/program.h"
#include "cel/text_of.h"
#include "cel/type_check.h"
#include "diag/foreign_text.h"
#include "driver/build/build.h"
#include "driver/convert/convert_files.h"
#include "driver/diagnose/diagnose_dump.h"
#include "driver/explain/explain_pod.h"
#include "driver/format/difference.h"
#include "driver/lock/lock.h"
#include "driver/schemas/schema_import.h"
#include "driver/session/config.h"
#include "driver/status/status_text.h"
#include "driver/validate/validate.h"
#include "driver/why/why.h"
#include "source/glob.h"
#include "source/sha256.h"
#include "tree/yaml_reader.h"
#include "world.h"

namespace trainyard::fuzzing {
namespace {

// ---- The files of an input -------------------------------------------------------------------

constexpr std::string_view kMark = "=== ";

/// What stands between lines `=== `. There are `count` of them, the missing ones empty.
std::vector<std::string_view> parts_of(std::string_view bytes, std::size_t count) {
  std::vector<std::string_view> parts(count);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t mark = bytes.find(kMark);
    parts[i] = bytes.substr(0, mark);
    if (mark == std::string_view::npos) return parts;
    bytes.remove_prefix(mark);
    bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  }
  parts.back() = bytes;
  return parts;
}

void require_readable(const std::string& text, const char* what) {
  SourceMap sources;
  Sink sink;
  read_yaml(sources, sources.add("out.yaml", text), sink);
  require_clean(sink, sources, what);
}

void require_json(const std::string& text, const char* what) {
  require(!nlohmann::json::parse(text, nullptr, false).is_discarded(), what);
}

void put(Trial& run, const char* path, std::string_view text) {
  run.world.files.files[path] = std::string(text);
}

void require_good(Trial& run, std::string_view bytes) {
  require_good_diagnostics(run.session.sink, run.session.sources, bytes);
}

// ---- Commands --------------------------------------------------------------------------------

/// A job of any kind: what convert makes of it can be read.
void as_conversion(std::string_view bytes) {
  Trial& run = used_run();
  put(run, "in/job.yaml", bytes);
  ConvertRequest request;
  request.inputs = {"in/job.yaml"};
  const ConvertResult result = convert_files(run.session, request);
  require_good(run, bytes);
  require_no_token(bytes, result.stream);
  if (!run.session.sink.has_errors())
    require_readable(result.stream, "a converted spec can be read");
}

/// A job of any kind: the pod that its controllers make is YAML and JSON.
void as_effective_pod(std::string_view bytes) {
  Trial& run = used_run();
  put(run, "in/job.yaml", bytes);
  ExplainPodRequest request;
  request.inputs = {"in/job.yaml"};
  const auto pod = explain_pod(run.session, request);
  require_good(run, bytes);
  require(pod.has_value() || run.session.sink.has_errors(), "without a pod there is an error");
  if (!pod) return;
  require_readable(pod->text, "an effective pod can be read");
  require_json(pod->json, "an effective pod is JSON");
}

/// A spec, a lock file, and lines for `--from`: once locked, there is nothing more to lock.
void as_lock(std::string_view bytes) {
  const auto parts = parts_of(bytes, 3);
  LockRequest request;
  request.inputs = {"in/spec.yaml"};
  request.file = "in/trainyard.lock";
  request.from = "in/digests";
  std::string locked;
  for (const User user : {User::Input, User::Again}) {
    Trial& run = used_run(user);
    run.session.locks = {};
    put(run, "in/spec.yaml", parts[0]);
    put(run, "in/trainyard.lock", locked.empty() ? parts[1] : locked);
    put(run, "in/digests", parts[2]);
    const LockResult result = lock_images(run.session, request);
    require_good(run, bytes);
    if (run.session.sink.has_errors() || !result.wrong_words.empty()) {
      require(!result.written, "what is wrong locks nothing");
      require(locked.empty(), "a lock file that was written can be used");
      return;
    }
    require(locked.empty() || !result.written, "what is locked stays as it is");
    locked = run.world.files.files["in/trainyard.lock"];
  }
}

/// A spec, a file that it may extend, one that this may extend, an overlay: the same bytes twice.
void as_layers(std::string_view bytes) {
  const auto parts = parts_of(bytes, 4);
  BuildRequest request;
  request.inputs = {"in/spec.yaml"};
  std::optional<std::string> before;
  for (const User user : {User::Input, User::Again}) {
    Trial& run = used_run(user);
    run.session.layers = {};
    put(run, "in/spec.yaml", parts[0]);
    put(run, "in/base.yaml", parts[1]);
    put(run, "in/deeper.yaml", parts[2]);
    put(run, "in/overlay.yaml", parts[3]);
    if (!parts[3].empty()) run.session.layers.overlays = {"in/overlay.yaml"};
    const BuildResult result = build(run.session, request);
    run.session.layers.overlays.clear();
    require_good(run, bytes);
    const std::string stream = result.stream.whole();
    require(stream.empty() || !run.session.sink.has_errors(), "what is wrong has no output");
    require(!before || *before == stream, "layers give the same bytes twice");
    if (!stream.empty()) require_readable(stream, "what layers give can be read");
    before = stream;
  }
}

/// A config file and a document: whatever it asks for, checking ends well.
void as_config(std::string_view bytes) {
  const auto parts = parts_of(bytes, 2);
  auto run = std::make_unique<Trial>();
  put(*run, "in/.git/HEAD", "");
  put(*run, "in/.trainyard.yaml", parts[0]);
  put(*run, "in/spec.yaml", parts[1]);
  const auto config = read_config(run->session, "in/.trainyard.yaml");
  if (config != nullptr) {
    RunSettings settings;
    apply_config(run->session, *config, settings);
    ValidateRequest request;
    request.inputs = {"in/spec.yaml"};
    request.cluster = settings.cluster;
    request.target = settings.target;
    if (!run->session.sink.has_errors()) validate(run->session, request);
  }
  require((config == nullptr) <= run->session.sink.has_errors(),
          "a config without use is an error");
  require_good(*run, bytes);
}

/// The object as it is to be and as it is: a change is checked, or something is reported.
void as_change(std::string_view bytes) {
  const auto parts = parts_of(bytes, 2);
  Trial& run = used_run();
  put(run, "in/new.yaml", parts[0]);
  put(run, "in/old.yaml", parts[1]);
  ValidateRequest request;
  request.inputs = {"in/new.yaml"};
  request.old = {"in/old.yaml"};
  validate(run.session, request);
  require_good(run, bytes);
}

/// An output, and the entries of a map of causes that claims to be of it: no text of a file that
/// the map may not name is shown, and nothing that a terminal could obey.
void as_forged_map(std::string_view bytes) {
  constexpr std::string_view kOutside = "outside-of-the-root-4711";
  const auto parts = parts_of(bytes, 2);
  Trial& run = used_run();
  run.session.roots = ReadRoots(run.world.env);
  put(run, "in/.git/HEAD", "");
  put(run, "in/out.yaml", parts[0]);
  put(run, "in/spec.yaml", "spec: 1\nb: 2\n");
  put(run, "etc/passwd", std::string(kOutside) + "\n");
  put(run, "in/out.yaml.provenance.json",
      R"({"version": 1, "output": "sha256:)" + sha256_hex(parts[0]) + R"(", "entries": )" +
          std::string(parts[1]) + "}");
  WhyRequest request;
  request.input = "in/out.yaml";
  request.line = 1;
  const WhyAnswer answer = why(run.session, request);
  require_good(run, bytes);
  require_no_token(bytes, answer.text);
  const bool is_own = bytes.find(kOutside) != std::string_view::npos;
  require(is_own || answer.text.find(kOutside) == std::string::npos,
          "no line from outside is shown");
  for (const char c : answer.text) require(c == '\n' || c < 0 || c >= 0x20, "no control character");
}

/// An OpenAPI document: each schema that is imported is JSON.
void as_openapi(std::string_view bytes) {
  Trial& run = used_run();
  put(run, "in/openapi.json", bytes);
  SchemaImportRequest request;
  request.inputs = {"in/openapi.json"};
  request.definitions = {"v1/Pod"};
  const SchemaImportResult result = import_schemas(run.session, request);
  require_good(run, bytes);
  require(result.stream.empty() == run.session.sink.has_errors(),
          "an import gives schemas or errors");
  if (!result.stream.empty()) require_readable(result.stream, "imported schemas can be read");
}

// ---- Parts -----------------------------------------------------------------------------------

/// A pattern and a path: the glob agrees with the definition of one.
void as_glob(std::string_view bytes) {
  constexpr std::size_t kMost = 60;
  const auto parts = parts_of(bytes, 2);
  const std::string_view pattern = parts[0].substr(0, kMost);
  const std::string_view path = parts[1].substr(0, kMost);
  // fits[i][j]: whether the pattern from i fits the path from j.
  std::vector<std::vector<char>> fits(pattern.size() + 1, std::vector<char>(path.size() + 1, 0));
  for (std::size_t i = pattern.size() + 1; i-- > 0;) {
    for (std::size_t j = path.size() + 1; j-- > 0;) {
      const bool more = j < path.size();
      if (i == pattern.size()) {
        fits[i][j] = !more;
      } else if (pattern.substr(i).starts_with("**/")) {  // no text, or one that ends in a slash
        fits[i][j] = fits[i + 3][j];
        for (std::size_t k = j; k < path.size(); ++k) {
          if (path[k] == '/' && fits[i + 3][k + 1]) fits[i][j] = 1;
        }
      } else if (pattern.substr(i).starts_with("**")) {
        fits[i][j] = fits[i + 2][j] || (more && fits[i][j + 1]);
      } else if (pattern[i] == '*') {
        fits[i][j] = fits[i + 1][j] || (more && path[j] != '/' && fits[i][j + 1]);
      } else {
        const bool one = more && (pattern[i] == '?' ? path[j] != '/' : pattern[i] == path[j]);
        fits[i][j] = one && fits[i + 1][j + 1];
      }
    }
  }
  require(fits_glob(pattern, path) == (fits[0][0] != 0), "a glob fits what its definition says");
}

/// An expression of CEL by itself: a fault lies in its text, and a value is the same twice.
void as_expression(std::string_view bytes) {
  const std::string_view names[] = {"self", "oldSelf"};
  const cel::Compiled compiled = cel::compile(bytes, names, {.bindings = true});
  if (!compiled.program) {
    require(!compiled.error.message.empty(), "what is no expression is told why");
    require(compiled.error.position <= bytes.size(), "a fault lies in the text");
    return;
  }
  cel::Types types;
  const cel::TypeRef variables[] = {types.simple(cel::Type::String), types.dynamic()};
  const cel::Typed typed = cel::check_types(*compiled.program, variables, types);
  if (typed.fault) require(typed.fault->position <= bytes.size(), "a type fault lies in the text");
  constexpr std::uint64_t kSteps = 20'000;
  const cel::Value values[] = {cel::Value::string("a,b c"), cel::Value::integer(-7)};
  std::optional<std::string> before;
  for (int run = 0; run < 2; ++run) {
    cel::Context context;
    context.set_budget(kSteps);
    const cel::Value value = cel::evaluate(*compiled.program, values, context);
    std::string text(cel::type_name(value.type()));
    if (value.is_error()) {
      text += value.text();
    } else {
      text += cel::text_of(value).value_or("");
    }
    require(!before || *before == text, "an expression has the same value twice");
    before = text;
  }
}

/// The old text with the changes of a unified diff; nothing where that does not fit.
std::optional<std::string> patched(std::string_view old, std::string_view diff) {
  const auto line_of = [](std::string_view& text) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length);
    return line;
  };
  std::string result;
  std::size_t at = 1;  // the line of `old` that comes next
  while (!diff.empty()) {
    std::string_view line = line_of(diff);
    if (line.starts_with("--- ") || line.starts_with("+++ ")) continue;
    if (line.starts_with("@@ -")) {
      const std::size_t first = std::strtoul(std::string(line.substr(4)).c_str(), nullptr, 10);
      const bool is_empty = line.substr(0, line.find('+')).find(",0 ") != std::string_view::npos;
      while (at < first + (is_empty ? 1 : 0) && !old.empty()) result += line_of(old), ++at;
      continue;
    }
    if (line.starts_with("\\")) {  // "No newline at end of file", of the line before
      if (result.ends_with('\n')) result.pop_back();
      continue;
    }
    const std::string_view rest = line.substr(1);
    if (line.front() != '+') {
      if (old.empty()) return std::nullopt;
      const std::string_view from = line_of(old);
      const std::string_view plain = rest.substr(0, rest.size() - 1);
      if (from != rest && from != plain) return std::nullopt;
      ++at;
      if (line.front() == ' ') result += from;
    } else {
      result += rest;
    }
  }
  return result.append(old);
}

/// Two texts, before and after: their difference leads from the one to the other.
void as_difference(std::string_view bytes) {
  const auto parts = parts_of(bytes, 2);
  std::string before(parts[0]);
  std::string after(parts[1]);
  const auto is_plain = [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); };
  for (std::string* text : {&before, &after}) {
    std::erase_if(*text, [&](char c) { return !is_plain(c); });
    if (!text->empty() && !text->ends_with('\n')) *text += '\n';
  }
  const std::string diff = difference("a.yaml", "a.yaml", before, after);
  require(diff.empty() == (before == after), "texts that differ have a difference");
  require_no_token(bytes, diff);
  if (diff.find("•") != std::string::npos) return;  // a masked secret fits nothing
  require(patched(before, diff) == after, "a difference leads from one text to the other");
}

/// What kubectl prints of objects and of logs: whatever it is, it can be told, without a
/// credential.
void as_dump(std::string_view bytes) {
  const auto parts = parts_of(bytes, 2);
  Trial& run = used_run();
  run.world.files.files["in/dump.yaml"] = std::string(parts[0]);
  run.world.files.files["in/log.txt"] = std::string(parts[1]);
  const DiagnosedDump dump =
      diagnose_dump(run.session, {{{"in/dump.yaml"}, {"in/log.txt"}, "", ""}, "", "", ""});
  require_good_diagnostics(run.session.sink, run.session.sources, bytes);
  for (const Diagnosis& each : dump.jobs) {
    require_no_token(bytes, foreign_lines(text_of(dump, each)));
    require_no_token(bytes, text_of(each.status, {dump.read.dump.newest_time(), "", ""}));
  }
}

constexpr Use kUses[] = {
    {'v', as_conversion}, {'e', as_effective_pod}, {'k', as_lock},       {'l', as_layers},
    {'q', as_config},     {'n', as_change},        {'y', as_forged_map}, {'j', as_openapi},
    {'b', as_glob},       {'z', as_expression},    {'a', as_difference}, {'h', as_dump},
};

}  // namespace
}  // namespace trainyard::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return trainyard::fuzzing::use_input(trainyard::fuzzing::kUses, data, size);
}
