#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/told_commands.h"

namespace trainyard {

/// What a shell must know of the commands, without pointers into them.
struct CompletionCommandRow {
  std::string name;  // may be two words
  std::string summary;
  Arguments arguments;  // `words` filled for targets, too
};
using CompletionTables = std::vector<CompletionCommandRow>;

/// A command that both programs have is one row, with the options of both.
CompletionTables completion_tables(const ToldCommands& told,
                                   const std::vector<std::string>& targets,
                                   const std::vector<std::string>& topics);

std::string bash_completion(const CompletionTables& tables);
std::string zsh_completion(const CompletionTables& tables);
std::string fish_completion(const CompletionTables& tables);

// What the scripts have in common.

/// The first words of commands, each once, in their order.
std::vector<std::string> first_words(const CompletionTables& tables);
/// The second words of the commands that begin with `first`.
std::vector<std::string> second_words(const CompletionTables& tables, const std::string& first);
/// Words with a space between.
std::string spaced(const std::vector<std::string>& words);

}  // namespace trainyard
