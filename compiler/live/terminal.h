#pragma once

#include <string>
#include <string_view>

namespace trainyard {

// What a command of a cluster says while it runs. All else waits in Io until its end.

/// A line on standard error, at once.
void say_now(std::string_view line);
/// Text on standard output; `flush_output` shows what has been printed.
void print_now(std::string_view text);
void flush_output();

/// Asks a person at the terminal; only a typed `y` or `yes` agrees. `interrupt` is a descriptor
/// that is readable once the user interrupts: that is a no.
bool agrees(const std::string& question, int interrupt);
/// Whether the user has interrupted.
bool is_interrupted(int interrupt);

/// By the clock of this machine, RFC 3339 in UTC. Ages are for people who look at a cluster now.
std::string time_now();

}  // namespace trainyard
