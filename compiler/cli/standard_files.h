#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "driver/build/built_stream.h"
#include "driver/session/env.h"

namespace trainyard {

// The three standard files of a program, and its environment.

/// Holds the place of those that are closed, so that no file we open takes it. False when standard
/// output was closed.
bool hold_standard_files();
FileRead read_standard_input(std::size_t limit);
/// Writes to standard error; there is nowhere else to complain.
void say(std::string_view text);
/// Writes to standard output at once. 0, or the error of the system: a full disk, a closed pipe.
int write_out(std::string_view text);
/// Writes what is left for standard output and closes it. Good when all of it went out. A reader
/// who has seen enough and closed the pipe needs no message.
ExitCode print_and_close(std::string_view text, BuiltStream& rest, bool has_output);
/// Whether messages are in colour: on a terminal that knows colours, unless NO_COLOR is set.
bool wants_colour();
/// Whether standard error is a terminal.
bool has_terminal();
/// The width of standard error, if it is a terminal that can rewrite a line; otherwise 0.
std::size_t terminal_columns();
/// Counts seconds from this call on.
std::function<double()> stopwatch();
/// Whether a person can be asked: standard input and standard error are a terminal.
bool has_person();
/// Writes a question to standard error, and reads a line. Nothing where the input has ended.
std::optional<std::string> ask_person(const std::string& question);
/// A variable of the environment; nothing where it is not set.
std::optional<std::string> environment_variable(const std::string& name);

}  // namespace trainyard
