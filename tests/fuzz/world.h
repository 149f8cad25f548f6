#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"
#include "driver/session/session.h"
#include "require.h"

namespace trainyard::fuzzing {

inline constexpr ReadLimits kSmall{.bytes = 1 << 16, .nodes = 20'000, .depth = 64};

// ---- What must hold for every run ------------------------------------------------------------

inline bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// What looks like a GitHub token in the input: its least length of each.
inline std::vector<std::string_view> planted_tokens(std::string_view input) {
  constexpr std::string_view kPrefix = "ghp_";
  constexpr std::size_t kLeast = 36;
  std::vector<std::string_view> result;
  for (std::size_t at = input.find(kPrefix); at != std::string_view::npos;
       at = input.find(kPrefix, at + 1)) {
    if (at > 0 && (is_alnum(input[at - 1]) || input[at - 1] == '_' || input[at - 1] == '-'))
      continue;
    std::size_t end = at + kPrefix.size();
    while (end < input.size() && is_alnum(input[end])) ++end;
    const std::size_t length = kPrefix.size() + kLeast;
    if (end - at >= length) result.push_back(input.substr(at, length));
  }
  return result;
}

inline void require_clean(const Sink& sink, const SourceMap& sources, const char* what) {
  if (sink.has_errors()) std::fputs(render_text(sink.sorted(), sources, false).c_str(), stderr);
  require(!sink.has_errors(), what);
}

inline void require_no_token(std::string_view input, std::string_view output) {
  for (const std::string_view token : planted_tokens(input)) {
    require(output.find(token) == std::string_view::npos, "a credential is never printed");
  }
}

inline void require_span(Span span, const SourceMap& sources) {
  if (!span.known()) return;
  require(span.file < sources.size(), "a span names a file");
  require(span.begin <= span.end, "a span begins before it ends");
  require(span.end <= sources.text(span.file).size(), "a span ends within its file");
}

/// Every diagnostic can be shown, as text and as JSON, without harm to a terminal.
inline void require_good_diagnostics(const Sink& sink, const SourceMap& sources,
                                     std::string_view input) {
  const std::vector<Diagnostic> list = sink.sorted();
  for (const Diagnostic& diagnostic : list) {
    require(!diagnostic.message.empty(), "a diagnostic says something");
    require_span(diagnostic.span, sources);
    for (const Label& label : diagnostic.labels) require_span(label.span, sources);
    for (const Fix& fix : diagnostic.fixes) require_span(fix.span, sources);
  }
  const std::string text = render_text(list, sources, false);
  for (const char c : text) require(c == '\n' || c < 0 || c >= 0x20, "no control character");
  const std::string json = render_json(list, sources);
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
  require(!parsed.is_discarded(), "the diagnostics are JSON");
  require(parsed["diagnostics"].size() == list.size(), "the JSON holds every diagnostic");
  require_no_token(input, text);
  require_no_token(input, json);
}

// ---- Inputs ----------------------------------------------------------------------------------

/// What the bytes of an input may be: `use` gets those behind the first, which is `byte`.
struct Use {
  char byte;
  void (*use)(std::string_view bytes);
};

/// For LLVMFuzzerTestOneInput.
inline int use_input(std::span<const Use> uses, const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Use& use : uses) {
    if (use.byte == bytes.front()) use.use(bytes.substr(1));
  }
  return 0;
}

// ---- A world in memory -----------------------------------------------------------------------

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
};

struct Trial {
  World world;
  Session session{world.env};

  Trial() { session.limits = kSmall; }
};

/// Who uses a session that has read the templates: reading them takes most of the time.
enum class User { Input, Again, Output, Directory, Check };

/// A session that was used for other inputs, without anything of theirs but their texts.
inline Trial& used_run(User user = User::Input) {
  struct Used {
    std::unique_ptr<Trial> run;
    int uses = 0;
  };
  constexpr int kUses = 200;
  static Used all[5];
  Used& used = all[static_cast<std::size_t>(user)];
  if (used.run == nullptr || ++used.uses > kUses) used = {std::make_unique<Trial>(), 0};
  used.run->session.sink.clear();
  used.run->world.files.files.clear();
  return *used.run;
}

}  // namespace trainyard::fuzzing
