#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "spec/config_document.h"

namespace trainyard {

/// The name under which a config file is found.
inline constexpr std::string_view kConfigName = ".trainyard.yaml";

/// What a run wants, of the command line and of a config file.
struct RunSettings {
  std::string cluster;
  std::string target;
  std::string kubernetes;
  std::vector<std::string> schemas;
  std::vector<std::string> policies;
  std::string fail_on;  // the word of an effect; "" for none
  bool ignore_unknown_kinds = false;
};

/// A config file that was read.
struct ConfigFile {
  std::string path;
  Tree tree;
  Config config;
};

/// A file of this name in the folder of an input, or in the nearest folder above; "" for none.
/// Looks no higher than ReadRoots::top_of_search.
std::string find_above(const std::string& input, std::string_view name, Env& env, ReadRoots& roots);

/// The config file for inputs: in the folder of the first one, or the nearest above; "" for none.
std::string find_config(const std::vector<std::string>& inputs, Env& env);

/// Notes that a config file does not count, where it is not that of the run (Env::config).
void report_ignored_config(const std::string& path, Env& env, Sink& sink);

/// Takes the found config file for that of the run, and notes each other that is nearest to an
/// input file. A walk notes those in folders.
void note_config(const std::vector<std::string>& inputs, const std::string& found, Env& env,
                 Sink& sink);

/// Reads a config file and checks it. Null, with errors in the session's sink, when it is wrong, or
/// when a search found a link out of the root.
std::unique_ptr<ConfigFile> read_config(Session& session, const std::string& path,
                                        NamedBy named_by = NamedBy::Document);

/// Notes what `--checks` asks for: `gang=off,mpi-*=warning`.
void note_asked_checks(Session& session, std::string_view list);

/// Gives the session the severities that were asked for, by the checks that it has now: a Cluster
/// may have brought others.
void ask_checks(Session& session);
/// Reports what was asked of checks that there are not.
void report_unknown_checks(Session& session);

/// Fills what `settings` leaves open, and notes in the session what the file asks of checks and
/// what it excludes. A file that the config may not name is an error in the session's sink.
void apply_config(Session& session, const ConfigFile& file, RunSettings& settings);

}  // namespace trainyard
