#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/failure.h"
#include "library/trainyard.h"
#include "source/file_system.h"

struct trainyard_result {
  trainyard::ExitCode code = trainyard::ExitCode::OurFault;
  std::string output;
  std::string message;
  std::vector<std::pair<std::string, std::string>> written;  // path and text
};

namespace trainyard {
namespace {

using Words = std::vector<std::string>;
using Texts = std::map<std::string, std::string>;

/// Commands that need nothing but files: no git, no environment, no person.
constexpr std::array<std::string_view, 11> kCommands{"build",  "convert",  "doctor", "explain",
                                                     "fmt",    "graph",    "list",   "render",
                                                     "schema", "validate", "why"};

/// What ended the run by an exception goes to the message of the call in this thread.
thread_local std::string* failure_message = nullptr;

void run(const Words& words, Texts files, trainyard_result& result) {
  if (words.empty() || std::ranges::find(kCommands, words[0]) == kCommands.end()) {
    result.code = ExitCode::CallWrong;
    result.message = "trainyard: the library has no command `" + (words.empty() ? "" : words[0]) +
                     "`; its commands are ";
    for (const std::string_view each : kCommands) {
      result.message += (each == kCommands.front() ? "`" : ", `") + std::string(each) + "`";
    }
    result.message += "\n";
    return;
  }
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [](std::size_t) { return FileRead{"", {}}; }};
  Io io{env, result.output, result.message};
  result.code = run_cli(words, io);
  result.output += io.rest.whole();
  for (auto& [path, text] : disk.files) {
    const auto before = files.find(path);
    if (before == files.end() || before->second != text)
      result.written.emplace_back(path, std::move(text));
  }
}

trainyard_result* answered(const auto& call) {
  std::unique_ptr<trainyard_result> result(new (std::nothrow) trainyard_result);
  if (result == nullptr) return nullptr;
  try {
    failure_message = &result->message;
    call(*result);
  } catch (...) {
    const auto say = [](std::string_view text) { failure_message->append(text); };
    try {
      result->code = tell_failure(std::current_exception(), say);
    } catch (...) {  // no memory is left to say so
      return nullptr;
    }
  }
  failure_message = nullptr;
  return result.release();
}

/// A command on one text and a Cluster. Null texts are no files.
trainyard_result* on_text(std::string_view command, std::string_view path, const char* text,
                          const char* cluster, const char* const* options, std::size_t count) {
  return answered([&](trainyard_result& result) {
    Words words{std::string(command), std::string(path), "--output", "json"};
    Texts files;
    if (text != nullptr) files.emplace(path, text);
    if (cluster != nullptr) {
      files.emplace("cluster.yaml", cluster);
      words.insert(words.end(), {"-c", "cluster.yaml"});
    }
    if (options != nullptr) words.insert(words.end(), options, options + count);
    run(words, std::move(files), result);
  });
}

}  // namespace
}  // namespace trainyard

using namespace trainyard;

const char* trainyard_version(void) {
  static const std::string text(version());
  return text.c_str();
}

int trainyard_api_version(void) {
  return TRAINYARD_API_VERSION;
}

trainyard_result* trainyard_run(const char* const* words, size_t word_count,
                                const trainyard_file* files, size_t file_count) {
  return answered([&](trainyard_result& result) {
    Texts held;
    for (std::size_t at = 0; at < file_count; ++at) {
      held.insert_or_assign(files[at].path, std::string(files[at].text, files[at].size));
    }
    run(word_count == 0 ? Words() : Words(words, words + word_count), std::move(held), result);
  });
}

trainyard_result* trainyard_build(const char* spec, const char* cluster, const char* const* options,
                                  size_t option_count) {
  return on_text("build", "spec.yaml", spec, cluster, options, option_count);
}

trainyard_result* trainyard_validate(const char* manifests, const char* cluster,
                                     const char* const* options, size_t option_count) {
  return on_text("validate", "manifests.yaml", manifests, cluster, options, option_count);
}

trainyard_result* trainyard_explain(const char* subject, const char* const* options,
                                    size_t option_count) {
  return on_text("explain", subject == nullptr ? "" : subject, nullptr, nullptr, options,
                 option_count);
}

int trainyard_exit_code(const trainyard_result* result) {
  return static_cast<int>(result->code);
}
const char* trainyard_output(const trainyard_result* result) {
  return result->output.c_str();
}
size_t trainyard_output_size(const trainyard_result* result) {
  return result->output.size();
}
const char* trainyard_message(const trainyard_result* result) {
  return result->message.c_str();
}
size_t trainyard_written_count(const trainyard_result* result) {
  return result->written.size();
}
trainyard_file trainyard_written(const trainyard_result* result, size_t index) {
  if (index >= result->written.size()) return {nullptr, nullptr, 0};
  const auto& [path, text] = result->written[index];
  return {path.c_str(), text.data(), text.size()};
}
void trainyard_free(trainyard_result* result) {
  delete result;
}
