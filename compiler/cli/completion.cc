#include "cli/completion.h"

#include <algorithm>

#include "cli/cluster_program.h"

namespace trainyard {

namespace {

CompletionCommandRow& row_of(CompletionTables& tables, std::string_view name,
                             std::string_view summary) {
  const auto found = std::ranges::find(tables, name, &CompletionCommandRow::name);
  if (found != tables.end()) return *found;
  return tables.emplace_back(CompletionCommandRow{std::string(name), std::string(summary), {}});
}

void add(const Arguments& arguments, Arguments& to) {
  const bool has_operand = std::ranges::any_of(to, &CallArgument::operand);
  for (const CallArgument& argument : arguments) {
    const bool is_known = std::ranges::find(to, argument.name, &CallArgument::name) != to.end();
    if (!is_known && !(argument.operand && has_operand)) to.push_back(argument);
  }
}

}  // namespace

ToldCommands told_commands() {
  return {all_commands(), {}, {}};
}

CompletionTables completion_tables(const ToldCommands& told,
                                   const std::vector<std::string>& targets,
                                   const std::vector<std::string>& topics) {
  CompletionTables tables;
  for (const auto* commands : {&told.here, &told.on_cluster}) {
    for (const auto& command : *commands) {
      add(command->all_arguments(), row_of(tables, command->name(), command->summary()).arguments);
    }
  }
  for (const ClusterCommand& each : cluster_commands()) row_of(tables, each.name, each.summary);
  for (CompletionCommandRow& row : tables) {
    for (CallArgument& argument : row.arguments) {
      if (argument.kind == ValueKind::Target) argument.words = targets;
      if (argument.kind == ValueKind::Topic) argument.words = topics;
    }
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
