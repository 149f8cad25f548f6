// Arbitrary bytes as a document: reading ends within its budgets, every span lies in the text, and
// what was read without an error can be written and read again to the same text.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"
#include "tree/yaml_writer.h"

namespace {

using namespace trainyard;

constexpr ReadLimits kSmall{.bytes = 1 << 16, .nodes = 20'000, .depth = 64};

void require(bool holds) {
  if (!holds) std::abort();
}

std::string written(const std::vector<Tree>& documents) {
  std::string text;
  for (const Tree& document : documents) {
    if (!text.empty()) text += "---\n";
    write_yaml(document, document.root(), text);
  }
  return text;
}

void check_spans(const SourceMap& sources, const Sink& sink) {
  for (const Diagnostic& diagnostic : sink.all()) {
    const Span span = diagnostic.span;
    if (span.file >= sources.size()) continue;
    require(span.begin <= span.end && span.end <= sources.text(span.file).size());
  }
}

void read_and_write_again(std::string text, Ambiguity ambiguity) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("fuzz.yaml", std::move(text));
  const std::vector<Tree> first = read_yaml(sources, file, sink, kSmall, ambiguity);
  check_spans(sources, sink);
  if (sink.has_errors()) return;

  const std::string once = written(first);
  if (once.size() > kSmall.bytes) return;
  const FileId again = sources.add("again.yaml", once);
  const std::vector<Tree> second = read_yaml(sources, again, sink, kSmall, ambiguity);
  require(!sink.has_errors());
  require(written(second) == once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_and_write_again(std::string(bytes), Ambiguity::Refuse);
  read_and_write_again(std::string(bytes), Ambiguity::Kubernetes);
  return 0;
}
