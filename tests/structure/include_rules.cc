#include "structure/include_rules.h"

#include <algorithm>
#include <cctype>

namespace trainyard::structure {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string without_comments(std::string_view cmake) {
  std::string result;
  bool comment = false;
  for (const char c : cmake) {
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (!comment) result += c;
  }
  return result;
}

void declare(const std::vector<std::string>& words, Folders& folders,
             std::vector<std::string>& wrong) {
  if (words.empty()) return;
  const std::string& name = words.front();
  if (folders.contains(name)) wrong.push_back("folder " + name + " is declared twice");
  Names seen = {name};
  bool sees = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "SEES" || words[i] == "USES" || words[i] == "COMMON" || words[i] == "WHEN") {
      sees = words[i] == "SEES";
    } else if (sees) {
      if (!folders.contains(words[i])) {
        wrong.push_back("folder " + name + " sees " + words[i] + ", which is not above it");
      }
      seen.insert(words[i]);
    }
  }
  folders[name] = std::move(seen);
}

std::string first_part(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

std::string sentence(std::string_view file, const Include& include, std::string_view text) {
  return std::string(file) + ':' + std::to_string(include.line) + ": " + include.path + ": " +
         std::string(text);
}

bool is_system_header(std::string_view path) {
  return path.find('/') == std::string_view::npos || path.starts_with("sys/");
}

std::string check_library(std::string_view folder, const Include& include, const Rules& rules) {
  for (const auto& [prefix, folders] : rules.libraries) {
    if (!include.path.starts_with(prefix)) continue;
    return folders.contains(folder) ? "" : "this folder may not know this library";
  }
  return is_system_header(include.path) ? "" : "no rule says who may include this";
}

std::string check_folder(std::string_view folder, const Include& include, const Rules& rules) {
  const std::string target = first_part(include.path);
  if (target == include.path) return "write the folder: \"folder/file.h\"";
  const auto own = rules.folders.find(folder);
  if (own == rules.folders.end()) return "this folder is not declared in compiler/CMakeLists.txt";
  return own->second.contains(target) ? "" : "this folder does not see " + target + "/";
}

}  // namespace

Folders parse_folders(std::string_view cmake, std::vector<std::string>& wrong) {
  constexpr std::string_view call = "trainyard_folder(";
  const std::string text = without_comments(cmake);
  Folders folders;
  for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at)) {
    at += call.size();
    const std::size_t close = std::min(text.find(')', at), text.size());
    declare(words_of(std::string_view(text).substr(at, close - at)), folders, wrong);
  }
  return folders;
}

std::vector<Include> includes_of(std::string_view source) {
  std::vector<Include> includes;
  for (int number = 1; !source.empty(); ++number) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string line(source.substr(0, end));
    source.remove_prefix(std::min(end + 1, source.size()));
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
    if (!line.starts_with("#include") || line.size() < 10) continue;
    const char open = line[8];
    const std::size_t close = line.find(open == '<' ? '>' : '"', 9);
    if ((open != '<' && open != '"') || close == std::string::npos) continue;
    includes.push_back({line.substr(9, close - 9), open == '"', number});
  }
  return includes;
}

std::vector<std::string> check_file(std::string_view file, std::string_view source,
                                    const Rules& rules, Names& used) {
  std::vector<std::string> wrong;
  const std::string folder = first_part(file);
  for (const Include& include : includes_of(source)) {
    std::string problem = include.quoted ? check_folder(folder, include, rules)
                                         : check_library(folder, include, rules);
    if (!include.quoted && rules.refused.contains(include.path)) {
      problem = "not in the compiler: it is slow, global or depends on the surroundings";
    }
    const std::string excuse = std::string(file) + ": " + include.path;
    if (!problem.empty() && rules.excused.contains(excuse)) {
      used.insert(excuse);
      problem.clear();
    }
    if (!problem.empty()) wrong.push_back(sentence(file, include, problem));
  }
  return wrong;
}

}  // namespace trainyard::structure
