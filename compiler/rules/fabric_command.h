#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The volume by which a program tells an ordinary container beside it that it has ended.
inline constexpr std::string_view kEndVolume = "program-end";
inline constexpr std::string_view kEndFolder = "/run/program-end";

/// The words in front of a program: a shell that sources `settings` (not if empty), and then
/// becomes the program, or with `tells_end` waits for it, hands signals on to it and leaves word.
std::vector<std::string> program_wrapper(std::string_view settings, bool tells_end);

/// Lines of bash that source `settings`, or end it where the file is not there; with no line break
/// at the end.
std::string source_settings(std::string_view settings);

/// Lines of a shell that run "$@", hand signals on to it and leave its status in `$status`;
/// `closed` are redirections of the program.
std::string run_and_wait(std::string_view closed = "");

/// The words in front of a daemon, which then ends after the program, with success.
std::vector<std::string> daemon_wrapper();

}  // namespace trainyard
