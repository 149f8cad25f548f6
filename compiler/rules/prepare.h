#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// A script as Kubernetes has to be given it: there `$$` stands for `$`, and `$(NAME)` for a
/// variable where the shell would run a command
/// (kubernetes/kubernetes third_party/forked/golang/expansion/expand.go).
std::string for_a_shell(std::string_view script);

/// Puts a shell in front of a command, which does what the script says and ends as that does: by
/// becoming `"$@"`, the command.
void put_shell_in_front(RuleContext& context, std::vector<CommandWord>& command,
                        std::string_view script, OriginId origin);

/// Puts a shell in front of the role's command, which waits for the address of rank 0 where the
/// program cannot, runs `before` and installs `packages` and then becomes the program: arguments
/// are never pasted into a script, and the program gets signals as process 1.
void prepare(RuleContext& context, Role& role, const Run& run);

}  // namespace trainyard
