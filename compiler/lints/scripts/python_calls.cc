// Arguments of calls in programs of Python.

#include "lints/scripts/python_calls.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "lints/launch/file_text.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Tokens = std::span<const PythonToken>;

/// A text or a number that stands at `at`, and is all of its value.
PythonValue constant(View text, Tokens tokens, std::size_t at) {
  if (at >= tokens.size()) return {};
  const PythonToken& token = tokens[at];
  constexpr auto goes_on =
      std::to_array<std::string_view>({"+", "-", "*", "/", "%", ".", "[", "(", "if", "or", "and"});
  const bool is_part =
      at + 1 < tokens.size() && std::ranges::find(goes_on, tokens[at + 1].text) != goes_on.end();
  if (is_part) return {};
  const std::string_view value = is_all_digits(token.text) ? token.text : token.literal();
  return {value, WordView(text, token.begin, token.begin + token.text.size())};
}

/// What a name holds that the program sets once.
PythonValue held_by(View text, Tokens tokens, std::string_view name) {
  PythonValue found;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != name || tokens[i + 1].text != "=" || tokens[i + 2].text == "=") continue;
    if (found.at) return {};
    found = constant(text, tokens, i + 2);
    if (found.text.empty()) return {};
  }
  return found;
}

/// The variable in `int(os.environ["NAME"])` from `at` on.
std::string_view variable_at(Tokens tokens, std::size_t at) {
  for (std::size_t k = at; k + 2 < tokens.size() && k < at + 6; ++k) {
    if (tokens[k].text == "," || tokens[k].text == "+") break;
    if (tokens[k].text == "environ" && tokens[k + 1].text == "[") return tokens[k + 2].literal();
  }
  return {};
}

}  // namespace

bool is_template(std::string_view text) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"{{", "{%", "<%", "${"}),
      [text](std::string_view mark) { return text.find(mark) != text.npos; });
}

namespace {

/// The word with the file that `python FILE` or `torchrun FILE` starts; the number of words for
/// none.
std::size_t place_of_file(const std::vector<View>& words, std::size_t program) {
  const bool is_torchrun = string_of(words[program]) == "torchrun";
  for (std::size_t at = program + 1; at < words.size(); ++at) {
    const std::string_view word = string_of(words[at]);
    if (word.ends_with(".py") && !word.starts_with('-')) return at;
    if (!is_torchrun && word != "-u" && word != "-O" && word != "-B") break;
  }
  return words.size();
}

}  // namespace

std::optional<PythonProgram> python_program(const WorkloadRole& role, View container,
                                            CheckContext& context) {
  if (!has_items(get(container, "command"))) return std::nullopt;
  const std::vector<View> words = arguments_of(container);
  const std::size_t at = place_of_program(words);
  if (at + 1 >= words.size()) return std::nullopt;
  const std::string_view name = program_name(string_of(words[at]));
  if (!name.starts_with("python") && name != "torchrun") return std::nullopt;
  const std::size_t file = place_of_file(words, at);
  if (file == words.size()) return std::nullopt;
  const View text = file_text(role, container, context)(string_of(words[file]));
  if (!text || is_template(string_of(text))) return std::nullopt;
  PythonText program = read_python(string_of(text));
  if (program.fault) return std::nullopt;
  const auto behind = words.begin() + static_cast<std::ptrdiff_t>(file) + 1;
  return PythonProgram{text, std::move(program.tokens), {behind, words.end()}, name == "torchrun"};
}

PythonValue argument_of(const PythonProgram& program, View container, std::string_view name) {
  const Tokens tokens = program.tokens;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_it =
        tokens[i].text == name && tokens[i + 1].text == "=" && tokens[i + 2].text != "=";
    if (!is_it) continue;
    if (found) return {};
    found = i + 2;
  }
  if (!found) return {};
  if (const std::string_view variable = variable_at(tokens, *found); !variable.empty()) {
    const View value = variable_value(container, variable);
    return value ? PythonValue{string_of(value), value} : PythonValue();
  }
  if (tokens[*found].is_name()) {
    const bool is_whole = *found + 1 < tokens.size() &&
                          (tokens[*found + 1].text == "," || tokens[*found + 1].text == ")");
    return is_whole ? held_by(program.text, tokens, tokens[*found].text) : PythonValue();
  }
  return constant(program.text, tokens, *found);
}

bool mentions(const PythonProgram& program, std::string_view name) {
  return std::ranges::any_of(program.tokens,
                             [name](const PythonToken& each) { return each.text == name; });
}

}  // namespace trainyard
