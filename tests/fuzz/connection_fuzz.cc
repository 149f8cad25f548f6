// Arbitrary bytes as a kubeconfig, as the refusal of a server and as lines of a log: reading ends
// well, a connection comes without errors only, and no message shows a token.

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/api_error.h"
#include "cluster/api/log_lines.h"
#include "cluster/connect/connection.h"
#include "diag/render.h"
#include "require.h"

namespace {

using namespace trainyard;

constexpr std::string_view kToken = "T0kenOfTheCorpus7fG2kQ";

void read_as_kubeconfig(const std::string& text) {
  MemoryFileSystem files;
  files.files["k"] = text;
  LocalMachine machine{files, [](const std::string&) { return std::nullopt; }};
  SourceMap sources;
  Sink sink;
  const auto connection = find_connection({.kubeconfig = "k"}, machine, sources, sink);
  require(connection.has_value() == !sink.has_errors(), "a connection, or an error");
  const bool has_token = text.find("token: " + std::string(kToken) + "\n") != text.npos;
  const std::string said = render_text(sink.sorted(), sources, false);
  require(!has_token || said.find(kToken) == said.npos, "a token is not shown");
  wipe_kubeconfigs(sources);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_as_kubeconfig(text);
  trainyard::Answer answer;
  answer.status = size % 2 == 0 ? 422 : 403;
  answer.body = text;
  require(trainyard::sentence(*trainyard::error_of(answer)).size() < 100'000, "a sentence");
  trainyard::LogLines lines([](std::string_view, std::string_view) {});
  lines.take(text);
  lines.begin_again();
  lines.take(text);
  return 0;
}
