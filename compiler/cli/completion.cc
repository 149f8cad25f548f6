#include "cli/completion.h"

#include <algorithm>

namespace trainyard {

CompletionTables completion_tables(const std::vector<std::unique_ptr<Command>>& commands,
                                   const std::vector<std::string>& targets,
                                   const std::vector<std::string>& topics) {
  CompletionTables tables;
  for (const auto& command : commands) {
    CompletionCommandRow row{std::string(command->name()), std::string(command->summary()),
                             command->all_arguments()};
    for (CallArgument& argument : row.arguments) {
      if (argument.kind == ValueKind::Target) argument.words = targets;
      if (argument.kind == ValueKind::Topic) argument.words = topics;
    }
    tables.push_back(std::move(row));
  }
  // `help schema import` is two words; a shell completes one at a time.
  for (CompletionCommandRow& row : tables) {
    for (CallArgument& argument : row.arguments) {
      if (row.name == "help" && argument.operand) argument.words = first_words(tables);
    }
  }
  return tables;
}

std::vector<std::string> first_words(const CompletionTables& tables) {
  std::vector<std::string> words;
  for (const CompletionCommandRow& row : tables) {
    std::string word = row.name.substr(0, row.name.find(' '));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::vector<std::string> second_words(const CompletionTables& tables, const std::string& first) {
  std::vector<std::string> words;
  for (const CompletionCommandRow& row : tables) {
    if (row.name.starts_with(first + " ")) words.push_back(row.name.substr(first.size() + 1));
  }
  return words;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace trainyard
