#pragma once

#include <map>
#include <optional>
#include <string>

#include "diag/sink.h"
#include "driver/session/env.h"
#include "source/embedded_files.h"
#include "target/target_pack.h"

namespace trainyard {

/// The templates inside the binary, with the files of `--templates` directories in front of them.
class TemplateStore : public TemplateFiles {
 public:
  TemplateStore();

  /// Takes every YAML file below `directory`; one of a name that is there already replaces it.
  void add_directory(const std::string& directory, Env& env, Sink& sink);

  std::optional<File> find(std::string_view path) const override;
  std::vector<std::string> targets() const override;
  /// Paths of the files below a folder such as `machines/`, sorted.
  std::vector<std::string> list(std::string_view folder) const;

 private:
  void add_below(const std::string& directory, const std::string& path, int depth, Env& env,
                 Sink& sink);

  EmbeddedFiles embedded_;
  struct UserFile {
    std::string name;
    std::string text;
  };
  std::map<std::string, UserFile, std::less<>> user_;
};

}  // namespace trainyard
