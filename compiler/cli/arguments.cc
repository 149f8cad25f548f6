#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "diag/suggest.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

/// The arguments of one call on their way into the fields of the command.
class Parser {
 public:
  Parser(const Arguments& table, std::string_view command) : table_(table), command_(command) {}

  std::optional<std::string> parse(const std::vector<std::string>& words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    std::vector<std::string> front(words.begin(), end);
    for (std::string& word : front) add_value(word);
    if (auto fault = parse_options(front)) return fault;
    if (end != words.end()) operands_.insert(operands_.end(), end + 1, words.end());
    if (auto fault = store_options()) return fault;
    return store_operands();
  }

 private:
  /// `--wait` is `--wait=finished` where that is its value alone.
  void add_value(std::string& word) const {
    const CallArgument* row = find(word);
    if (row != nullptr && !row->alone.empty()) word = "--" + row->name + "=" + row->alone;
  }

  std::optional<std::string> parse_options(const std::vector<std::string>& words) {
    CLI::App app;
    app.set_help_flag();  // help is ours
    app.allow_extras();   // and so is saying what is unknown
    for (const CallArgument& row : table_) {
      if (!row.operand && may_be_named(row, words)) bind(row, app);
    }
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    try {
      app.parse(reversed);
    } catch (const CLI::ParseError&) {
      return explain(words);
    }
    for (const std::string& word : app.remaining()) {
      if (word.size() > 1 && word[0] == '-') return unknown(word);
      operands_.push_back(word);
    }
    return std::nullopt;
  }

  /// Whether a word may stand for the option. The library takes longer to note one than to read the
  /// call, and most are not in it.
  static bool may_be_named(const CallArgument& row, const std::vector<std::string>& words) {
    return std::ranges::any_of(words, [&](std::string_view word) {
      if (!word.starts_with('-')) return false;
      if (word.starts_with("--")) return word.substr(2).starts_with(row.name);
      return row.letter != 0 && word.find(row.letter) != std::string_view::npos;
    });
  }

  void bind(const CallArgument& row, CLI::App& app) {
    std::string names = "--" + row.name;
    if (row.letter != 0) names = std::string("-") + row.letter + "," + names;
    if (row.is_flag()) {
      app.add_flag(names, flags_[row.name]);
    } else {
      app.add_option(names, values_[row.name])->allow_extra_args(false);
    }
  }

  const CallArgument* find(std::string_view word) const {
    for (const CallArgument& row : table_) {
      if (row.operand) continue;
      if (word == "--" + row.name) return &row;
      if (row.letter != 0 && word == std::string("-") + row.letter) return &row;
    }
    return nullptr;
  }

  /// What the library found wrong, from the words alone: its own texts differ between versions.
  std::string explain(const std::vector<std::string>& words) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const CallArgument* row = find(std::string_view(words[i]).substr(0, equals));
      if (row == nullptr) continue;
      if (row->is_flag() && equals != std::string::npos) {
        return in_backticks("--" + row->name) + " takes no value";
      }
      const bool last = i + 1 == words.size();
      if (row->is_flag() || equals != std::string::npos) continue;
      if (last || (words[i + 1].size() > 1 && words[i + 1][0] == '-')) {
        return lacks_value(words[i], *row);
      }
      ++i;
    }
    return "an option lacks its value, or has one that it does not take";
  }

  static std::string lacks_value(const std::string& word, const CallArgument& row) {
    return in_backticks(word) + " needs a value: " + in_backticks(word + " " + row.value);
  }

  std::string unknown(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CallArgument& row : table_) {
      if (!row.operand) names.push_back("--" + row.name);
    }
    return in_backticks(command_) + " has no option " + in_backticks(name) + guess(name, names);
  }

  std::optional<std::string> store_options() {
    for (const CallArgument& row : table_) {
      if (row.operand) continue;
      if (row.is_flag()) {
        *std::get<bool*>(row.into) = flags_[row.name];
        continue;
      }
      const std::vector<std::string>& values = values_[row.name];
      if (values.empty()) continue;
      for (const std::string& value : values) {
        if (find(value) != nullptr) return lacks_value("--" + row.name, row);
      }
      if (values.size() > 1 && !row.repeats()) {
        return in_backticks("--" + row.name) + " is given more than once";
      }
      if (auto fault = store(row, values)) return fault;
    }
    return std::nullopt;
  }

  std::optional<std::string> store_operands() {
    std::size_t next = 0;
    for (const CallArgument& row : table_) {
      if (!row.operand) continue;
      std::vector<std::string> values;
      while (next < operands_.size() && (values.empty() || row.repeats())) {
        values.push_back(operands_[next++]);
      }
      if (values.empty() && row.required) {
        return in_backticks(command_) + " needs " + in_backticks(row.name) + ": " + row.help;
      }
      if (values.empty()) continue;
      if (auto fault = store(row, values)) return fault;
    }
    if (next == operands_.size()) return std::nullopt;
    return "nothing is expected at " + in_backticks(operands_[next]);
  }

  static std::optional<std::string> store(const CallArgument& row,
                                          std::vector<std::string> values) {
    for (const std::string& value : values) {
      const bool known = std::find(row.words.begin(), row.words.end(), value) != row.words.end();
      if (row.words.empty() || known) continue;
      const std::string name = row.operand ? in_backticks(row.name) : in_backticks("--" + row.name);
      return name + " is " + choices(row.words) + ", not " + in_backticks(value) +
             guess(value, row.words);
    }
    if (row.repeats()) {
      *std::get<std::vector<std::string>*>(row.into) = std::move(values);
    } else {
      *std::get<std::string*>(row.into) = std::move(values[0]);
    }
    return std::nullopt;
  }

  const Arguments& table_;
  std::string_view command_;
  std::map<std::string, bool> flags_;
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> operands_;
};

}  // namespace

std::optional<std::string> parse_arguments(const Arguments& table, std::string_view command,
                                           const std::vector<std::string>& words) {
  return Parser(table, command).parse(words);
}

std::string choices(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += in_backticks(words[i]);
  }
  return text;
}

std::string guess(std::string_view typo, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const auto near = suggest(typo, views);
  return near ? ": did you mean " + in_backticks(*near) + "?" : std::string();
}

}  // namespace trainyard
