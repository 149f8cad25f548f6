#include "golden/case.h"

#include <algorithm>
#include <charconv>

namespace trainyard::golden {

namespace fs = std::filesystem;

namespace {

/// Takes a file out of the directory's tree.
std::string take(Files& files, const std::string& name) {
  const auto node = files.extract(name);
  return node.empty() ? std::string() : node.mapped();
}

/// Takes what is below `prefix` out of the tree, without the prefix.
Files take_below(Files& files, const std::string& prefix) {
  Files result;
  for (auto it = files.lower_bound(prefix); it != files.end() && it->first.starts_with(prefix);) {
    result[it->first.substr(prefix.size())] = std::move(it->second);
    it = files.erase(it);
  }
  return result;
}

void read_exit(Case& result, Files& files) {
  if (!files.contains("exit")) return;
  std::string text = take(files, "exit");
  if (text.ends_with('\n')) text.pop_back();
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), result.expected.exit);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || result.expected.exit == 0) {
    result.faults.push_back("`exit` holds `" + text + "`: write a number other than 0, or no file");
  }
}

/// Copies what the file `inputs` names, one path of the repository per line, by its last name.
void read_shared_inputs(Case& result, const std::string& list, const fs::path& repository) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\n', at), list.size());
    const std::string name = list.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    const fs::path path = repository / name;
    if (fs::is_regular_file(path)) {
      result.inputs[path.filename().string()] = read_file(path);
    } else if (fs::is_directory(path)) {
      for (const auto& [below, text] : read_tree(path)) {
        result.inputs[path.filename().string() + '/' + below] = text;
      }
    } else {
      result.faults.push_back("`inputs` names `" + name + "`, which is not there");
    }
  }
}

bool is_expectation(std::string_view name) {
  return name == "stdout" || name == "stderr" || name == "exit" || name.starts_with("out/") ||
         name.starts_with("after/");
}

void check_no_empty_snapshot(Case& result, const Files& files) {
  for (const std::string name : {"stdout", "stderr"}) {
    const auto found = files.find(name);
    if (found != files.end() && found->second.empty()) {
      result.faults.push_back("`" + name + "` is empty: remove it");
    }
  }
}

}  // namespace

Case load_case(const fs::path& directory, const fs::path& repository) {
  Case result;
  result.name = directory.lexically_relative(repository / "golden").generic_string();
  Files files = read_tree(directory);
  if (!files.contains("args")) result.faults.push_back("there is no file `args`");
  auto commands = parse_commands(take(files, "args"));
  if (!commands) result.faults.push_back("`args` has an open quote or a `<` without a file");
  if (commands && commands->empty()) result.faults.push_back("`args` has no command line");
  if (commands) result.commands = std::move(*commands);
  check_no_empty_snapshot(result, files);
  read_exit(result, files);
  result.true_digests = !take(files, "true-digests").empty();
  result.expected.out = take(files, "stdout");
  result.expected.err = take(files, "stderr");
  result.expected.tree = take_below(files, "out/");
  result.expected.changed = take_below(files, "after/");
  const Files before = take_below(files, "before/");
  read_shared_inputs(result, take(files, "inputs"), repository);
  result.inputs.merge(files);
  for (const auto& [name, text] : before) result.inputs[name] = text;
  const bool fails = result.name.starts_with("fail/");
  if (fails != (result.expected.exit != 0)) {
    result.faults.push_back(fails ? "the case lies in fail/, but exit 0 is expected"
                                  : "exit is not 0, but the case does not lie in fail/");
  }
  if (result.expected.nothing()) result.faults.push_back("nothing is expected");
  return result;
}

bool save_expectation(const fs::path& directory, const Expectation& expectation) {
  Files wanted;
  if (!expectation.out.empty()) wanted["stdout"] = expectation.out;
  if (!expectation.err.empty()) wanted["stderr"] = expectation.err;
  if (expectation.exit != 0) wanted["exit"] = std::to_string(expectation.exit) + '\n';
  for (const auto& [name, text] : expectation.tree) wanted["out/" + name] = text;
  for (const auto& [name, text] : expectation.changed) wanted["after/" + name] = text;

  bool changed = false;
  for (const auto& [name, text] : read_tree(directory)) {
    if (!is_expectation(name)) continue;
    const auto found = wanted.find(name);
    if (found == wanted.end()) {
      fs::remove(directory / name);
      changed = true;
    } else if (found->second == text) {
      wanted.erase(found);
    }
  }
  write_tree(directory, wanted);
  return changed || !wanted.empty();
}

}  // namespace trainyard::golden
