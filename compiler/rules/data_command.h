#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The volume by which a program tells the containers beside it how it has ended.
inline constexpr std::string_view kResultVolume = "program-result";
inline constexpr std::string_view kResultFolder = "/run/program-result";

/// The variable that holds the pod's name, by which one of several does what is done once.
inline constexpr std::string_view kPodName = "POD_NAME";

/// Containers that can wait for one program; a shell has no more numbers for their pipes.
inline constexpr std::size_t kMostWaiting = 7;

/// Who of the pods with the same directory does the work.
struct Turn {
  enum class Who { All, None, Named } who = Who::All;
  std::string first;  // Named: the pod of this name does, with or without a random end
};

/// What is moved, and its place in the container.
struct Fetch {
  std::string place;
  std::string mark;  // a file there that says that all has come
  Turn turn;
  std::string file = {};  // that has to come there; empty where any file does
  bool unpacks = false;   // that file, into `place`
};

/// The words of a container that fetches by `command`, again after a failure, and leaves the mark;
/// in the other pods it waits for that.
std::vector<std::string> fetch_words(const Fetch& fetch, const std::vector<std::string>& command);

/// The words of a container that stores by `command`, again after a failure.
std::vector<std::string> store_words(const std::vector<std::string>& command);

/// After which ends of the program its results are stored.
enum class StoreAfter { Success, AnyEnd };

/// The same beside the program, number `index` of those that wait: once the program has ended, and
/// with a failure where it has not ended well.
std::vector<std::string> store_after_words(std::size_t index, StoreAfter after, const Turn& turn,
                                           const std::vector<std::string>& command);

/// The words in front of a program for which so many containers wait.
std::vector<std::string> awaited_program(std::size_t waiting);

}  // namespace trainyard
