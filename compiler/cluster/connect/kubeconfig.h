#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/connect/local_machine.h"
#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// Reports what is wrong with kubeconfigs, and hides every secret that a message could quote.
class KubeconfigSink {
 public:
  explicit KubeconfigSink(Sink& sink) : sink_(sink) {}
  /// Finds the secrets below `value` by the names of their keys.
  void hide_secrets(View value);
  Diagnostic& report(DiagnosticKind kind, Span span, std::string message);
  Sink& sink() { return sink_; }

 private:
  Sink& sink_;
  std::vector<Span> secrets_;
};

/// One item of `clusters`, `users` or `contexts`.
struct KubeconfigEntry {
  View name;
  View body;           // the map `cluster`, `user` or `context`
  std::string folder;  // that of its file: relative paths start here
};
using KubeconfigEntries = std::map<std::string, KubeconfigEntry, std::less<>>;

/// Several kubeconfigs, merged as kubectl merges them: of each name and of `current-context` the
/// first file that has it counts.
struct Kubeconfig {
  KubeconfigEntries clusters;
  KubeconfigEntries users;
  KubeconfigEntries contexts;
  View current_context;
  std::deque<Tree> trees;
  std::vector<std::string> files;  // those that are there
  bool is_broken = false;          // one of them is no YAML: what is missing may stand there
};

/// Reads these files; those that do not exist are left out unless `required`.
Kubeconfig read_kubeconfigs(const std::vector<std::string>& paths, bool required,
                            LocalMachine& machine, SourceMap& sources, KubeconfigSink& sink);

/// The fields of a map of a kubeconfig, as texts, with a report for each that has another type.
class KubeconfigFields {
 public:
  KubeconfigFields(View map, KubeconfigSink& sink) : map_(map), sink_(sink) {}
  std::string text(std::string_view key);  // "" where there is none
  bool truth(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  View list(std::string_view key);
  View map(std::string_view key);
  Span span(std::string_view key) const;  // of the value; of the map where there is none
  bool has(std::string_view key) const;

 private:
  View value(std::string_view key, Kind kind, std::string_view wanted);

  View map_;
  KubeconfigSink& sink_;
};

/// The folder of a path, "" for a bare name.
std::string folder_of_kubeconfig(std::string_view path);
/// A path of a kubeconfig, which may be relative to its file.
std::string path_from(const std::string& folder, const std::string& path);

}  // namespace trainyard
