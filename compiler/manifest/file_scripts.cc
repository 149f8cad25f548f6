#include "manifest/file_scripts.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "manifest/mounted_files.h"
#include "manifest/pod.h"
#include "manifest/pod_templates.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A path as it is in a folder.
std::string below(std::string_view folder, std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with('/') || !folder.starts_with('/')) return std::string(path);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(path);
}

std::string absolute(View container, std::string_view path) {
  return below(string_at(container, "workingDir"), path);
}

/// The shell that the first line of a script asks for, with its options; nothing for another
/// program and for a text without such a line.
std::vector<std::string> shell_of(std::string_view script) {
  if (!script.starts_with("#!")) return {};
  const auto words = shell_words(script.substr(2, script.find('\n') - 2));
  if (!words) return {};
  const auto shell = std::ranges::find_if(*words, [](const auto& word) { return is_shell(word); });
  return {shell, words->end()};
}

/// Whether a shell reads it: it does not say that it is for another program.
bool is_for_shell(std::string_view script) {
  return !script.empty() && (!script.starts_with("#!") || !shell_of(script).empty());
}

/// A call of a file, and which of the container's arguments it takes up.
struct FileCall {
  std::string path;                // empty where `around` counts, and only reads others
  std::vector<std::string> shell;  // with its options; empty where the file says it
  std::size_t begin = 0;           // of the arguments
  std::size_t end = 0;
  View around;                      // the script that calls it and does more; empty for none
  std::vector<std::string> others;  // that this one reads or runs as well
  bool is_read = false;             // by the shell that runs already: `source a.sh`
};

/// A file that a command of a script runs: `exec bash -e a.sh`, `source a.sh`, `/scripts/a.sh`.
FileCall file_of_command(std::span<const ShellWord> words) {
  FileCall call;
  while (!words.empty() && (words[0].text == "exec" || words[0].text == "nohup")) {
    words = words.subspan(1);
  }
  if (words.empty()) return call;
  const std::string_view first = words[0].text;
  call.is_read = first == "." || first == "source";
  if (!call.is_read && !is_shell(first)) {
    if (first.find('/') != first.npos) call.path = first;
    return call;
  }
  const ShellCall shell = shell_call(words, 0);
  if (shell.by_option || shell.script >= words.size()) return {};
  call.path = words[shell.script].text;
  for (const ShellWord& each : words.first(shell.script)) call.shell.emplace_back(each.text);
  if (call.is_read) call.shell.erase(call.shell.begin());
  return call;
}

/// What a script runs of those files for which `is_file` says yes: the last one, and with it those
/// in front, which mostly make things ready for it.
template <class IsFile>
std::optional<FileCall> file_of_script(View script, IsFile is_file) {
  std::optional<FileCall> found;
  std::vector<std::string> others;
  std::size_t commands = 0;
  std::string folder;
  each_command(argument_words({script}), [&](std::span<const ShellWord> words) {
    ++commands;
    if (words.size() == 2 && words[0].text == "cd") folder = words[1].text;
    FileCall call = file_of_command(words);
    if (call.path.empty()) return;
    if (folder.starts_with('/')) call.path = below(folder, call.path);
    if (!is_file(call.path)) return;
    if (found && call.is_read && !found->is_read) {
      others.push_back(call.path);
      return;
    }
    if (found) others.push_back(found->path);
    found = std::move(call);
  });
  if (!found) return std::nullopt;
  if (commands > 1) found->around = script;
  if (found->is_read && commands > 1) others.push_back(std::exchange(found->path, {}));
  found->others = std::move(others);
  return found;
}

/// A shell with its options but for `-c`.
std::vector<std::string> without_script_option(const std::vector<View>& words, std::size_t program,
                                               const ShellCall& call) {
  std::vector<std::string> shell;
  for (std::size_t i = program; i < call.script; ++i) {
    std::string word(string_of(words[i]));
    if (i != program && word.starts_with('-')) std::erase(word, 'c');
    if (word != "-") shell.push_back(std::move(word));
  }
  return shell;
}

template <class IsFile>
std::optional<FileCall> file_call(View container, IsFile is_file) {
  const std::vector<View> words = arguments_of(container);
  const std::size_t program = place_of_program(words);
  if (program >= words.size()) return std::nullopt;
  FileCall call;
  call.begin = program;
  if (!is_shell(string_of(words[program]))) {
    if (!has_items(get(container, "command"))) return std::nullopt;  // the image starts something
    call.path = string_of(words[program]);
    call.end = program + 1;
    return is_file(call.path) ? std::optional(std::move(call)) : std::nullopt;
  }
  const ShellCall shell = shell_call(words, program);
  if (shell.script >= words.size()) return std::nullopt;
  const View script = words[shell.script];
  if (shell.by_option) {
    auto inner = file_of_script(script, is_file);
    if (!inner) return std::nullopt;
    call = *std::move(inner);
    call.begin = program;
    if (call.shell.empty() && call.is_read)
      call.shell = without_script_option(words, program, shell);
  } else {
    call.path = string_of(script);
    if (!is_file(call.path)) return std::nullopt;
    for (std::size_t i = program; i < shell.script; ++i) {
      call.shell.emplace_back(string_of(words[i]));
    }
  }
  call.end = shell.script + 1;
  return call;
}

/// Puts scripts into the containers of a copy.
class Writer {
 public:
  Writer(View object, const Inventory& inventory, ScriptedObject& to)
      : inventory_(inventory), to_(to) {
    to_.tree.set_root(to_.tree.copy(object.tree(), object.id()));
  }

  void write() {
    const View root(to_.tree, to_.tree.root());
    const std::string_view group = group_of(string_at(root, "apiVersion"));
    const std::string_view kind = string_at(root, "kind");
    for (const PodPlace& place : pod_places()) {
      if (place.group != group || place.kind != kind) continue;
      std::vector<View> holders;
      each_at(root, place.path, [&](View holder) { holders.push_back(holder); });
      for (View holder : holders) {
        const Pod pod = read_pod(root, holder, place);
        for (const PodContainer& each : pod.containers) container(root, pod, each.node);
      }
    }
  }

 private:
  /// The value of a key, where one ConfigMap has it.
  struct Value {
    View text;
    View map;
  };
  Value value_of(View root, std::string_view name, std::string_view key) const {
    const std::vector<View> maps = config_maps_of(inventory_, root, name);
    const View text = maps.size() == 1 ? get(get(maps.front(), "data"), key) : View();
    return text && text.kind() == Kind::String ? Value{text, maps.front()} : Value();
  }

  /// Puts a value where a variable refers to it.
  void add_value(NodeId variable, const Value& value, View container) {
    const NodeId text = to_.tree.copy(value.text.tree(), value.text.id());
    to_.tree[text].key = {};
    to_.tree.append(variable, "value", text);
    to_.scripts.push_back({value.text, value.map, string_at(container, "name"), true});
  }

  void variables(View root, View container) {
    Tree& tree = to_.tree;
    std::vector<NodeId> own;
    for (View each : items_at(container, "env")) own.push_back(each.id());
    for (const NodeId each : own) {
      const View reference = get(get(View(tree, each), "valueFrom"), "configMapKeyRef");
      if (!reference) continue;
      const Value value = value_of(root, string_at(reference, "name"), string_at(reference, "key"));
      if (!value.text) continue;
      tree.remove(each, tree.find(each, "valueFrom"));
      add_value(each, value, container);
    }
    all_of_maps(root, container);
  }

  /// `envFrom`, where all that it names is known.
  void all_of_maps(View root, View container) {
    Tree& tree = to_.tree;
    const View sources = get(container, "envFrom");
    if (!has_items(sources)) return;
    std::vector<Value> values;
    for (View source : Items(sources)) {
      const std::string_view name = string_at(get(source, "configMapRef"), "name");
      const std::vector<View> maps =
          name.empty() ? std::vector<View>() : config_maps_of(inventory_, root, name);
      if (maps.size() != 1 || get(source, "prefix")) return;
      for (View entry : entries_at(maps.front(), "data")) {
        if (entry.kind() != Kind::String) return;
        if (!variable(container, entry.key())) values.push_back({entry, maps.front()});
      }
    }
    if (values.empty()) return;
    const Span span = sources->span;
    tree.remove(container.id(), sources.id());
    NodeId list = tree.find(container.id(), "env");
    if (list == kNoNode) {
      list = tree.add_seq();
      tree[list].span = span;
      tree.append(container.id(), "env", list);
    }
    for (const Value& value : values) {
      const NodeId entry = tree.add_map();
      tree[entry].span = value.text->span;
      const NodeId name = tree.add_string(tree.intern(value.text.key()));
      tree[name].span = value.text->span;
      tree.append(entry, "name", name);
      tree.append(list, entry);
      add_value(entry, value, container);
    }
  }

  void container(View root, const Pod& pod, View container) {
    variables(root, container);
    const auto held = [&](std::string_view path) {
      const auto mounted = mounted_path(pod, container, absolute(container, path));
      return mounted ? config_map_text(inventory_, root, *mounted) : View();
    };
    const auto call = file_call(container, [&](std::string_view path) {
      return !path.ends_with(".py") && is_for_shell(string_of(held(path)));
    });
    if (!call) return;
    std::vector<View> others;
    for (const std::string& path : call->others) others.push_back(held(path));
    for (View each : others) add_script(each, container);
    const std::vector<View> words = arguments_of(container);
    std::vector<NodeId> command;
    if (call->path.empty()) {
      for (View word : words) command.push_back(copy(word));
    } else {
      const View text = held(call->path);
      const std::vector<std::string> its_own = shell_of(string_of(text));
      add_script(text, container);
      command = command_of(words, *call, call->shell.empty() ? its_own : call->shell, text);
    }
    for (View each : others) command.push_back(copy(each));
    put(container.id(), words.front(), command);
  }

  void add_script(View text, View container) {
    for (View map : inventory_.all("", "ConfigMap")) {
      if (&map.tree() != &text.tree() || !get(get(map, "data"), text.key()).is_at(text)) continue;
      to_.scripts.push_back({text, map, string_at(container, "name")});
    }
  }

  NodeId copy(View from) {
    const NodeId copy = to_.tree.copy(from.tree(), from.id());
    to_.tree[copy].key = {};
    return copy;
  }

  /// `bash -c TEXT NAME ARGUMENTS` for `bash NAME ARGUMENTS`.
  std::vector<NodeId> command_of(const std::vector<View>& words, const FileCall& call,
                                 std::vector<std::string> shell, View text) {
    Tree& tree = to_.tree;
    const Span span = words[call.begin]->span;
    std::vector<NodeId> command;
    const auto add = [&](std::string_view word) {
      command.push_back(tree.add_string(tree.intern(word)));
      tree[command.back()].span = span;
    };
    for (std::size_t i = 0; i < call.begin; ++i) command.push_back(copy(words[i]));
    if (shell.empty()) shell.emplace_back("sh");
    for (const std::string& word : shell) add(word);
    add("-c");
    command.push_back(copy(text));
    if (call.around) {
      command.push_back(copy(call.around));
    } else {
      add(call.path);
    }
    for (std::size_t i = call.end; i < words.size(); ++i) command.push_back(copy(words[i]));
    return command;
  }

  void put(NodeId container, View first, const std::vector<NodeId>& command) {
    Tree& tree = to_.tree;
    const Span span = first->span;
    for (std::string_view field : {"command", "args"}) {
      const NodeId old = tree.find(container, field);
      if (old != kNoNode) tree.remove(container, old);
    }
    const NodeId list = tree.add_seq();
    tree[list].span = span;
    for (NodeId word : command) tree.append(list, word);
    tree.append(container, "command", list);
  }

  const Inventory& inventory_;
  ScriptedObject& to_;
};

}  // namespace

ScriptedObject with_scripts(View object, const Inventory& inventory) {
  ScriptedObject made;
  Writer(object, inventory, made).write();
  if (made.scripts.empty()) made.tree.clear();
  return made;
}

}  // namespace trainyard
