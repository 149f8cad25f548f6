#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "driver/build/build.h"
#include "driver/convert/convert_files.h"
#include "driver/session/session.h"
#include "source/file_system.h"

namespace trainyard::testing {

/// What one build of files in memory gave.
struct Built {
  std::string text;  // the stream without the lines of the digest, which every change changes
  std::vector<Diagnostic> reports;
  std::size_t errors = 0;
};

inline std::string without_digest(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.find("trainyard/digest:") == std::string::npos) result += line;
    at = end;
  }
  return result;
}

/// Builds `inputs`, which are among the files, to a stream.
inline Built build_files(const std::map<std::string, std::string>& files,
                         const std::vector<std::string>& inputs, const std::string& cluster = "",
                         const std::string& target = "") {
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.inputs = inputs;
  request.cluster = cluster;
  request.target = target;
  Built built;
  built.text = without_digest(build(session, request).stream.whole());
  built.reports = session.sink.sorted();
  built.errors = session.sink.error_count();
  return built;
}

/// The spec that one manifest in memory became, and what was said.
struct Converted {
  std::string spec;
  std::vector<Diagnostic> reports;
};

inline Converted convert_text(const std::string& manifest, const std::string& cluster) {
  MemoryFileSystem disk;
  disk.files = {{"job.yaml", manifest}, {"cluster.yaml", cluster}};
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  ConvertRequest request;
  request.inputs = {"job.yaml"};
  if (!cluster.empty()) request.cluster = "cluster.yaml";
  Converted result;
  result.spec = convert_files(session, request).stream;
  result.reports = session.sink.sorted();
  return result;
}

}  // namespace trainyard::testing
