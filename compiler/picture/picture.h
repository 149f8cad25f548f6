#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What a box stands for, by which pictures colour it.
enum class BoxKind : std::uint8_t { Pods, Role, Queue, Volume, Pool, Job };

/// A part of a picture: a title, some lines below it, and boxes inside.
struct Box {
  std::string title;
  std::vector<std::string> lines = {};
  std::vector<Box> inside = {};
  BoxKind kind = BoxKind::Role;
  std::string id = {};  // to which arrows refer; "" where none does
  int column = 1;       // of a box that is in no other: 0 left, 1 middle, 2 right
};

/// From one box to another, by their ids.
struct Arrow {
  std::string from;
  std::string to;
  std::string label = {};
};

/// A job, a fleet or a cluster as boxes and arrows. Texts come from specs and manifests: the
/// writers escape them.
struct Picture {
  std::string title;
  std::vector<std::string> lines = {};
  std::vector<Box> boxes = {};
  std::vector<Arrow> arrows = {};
};

/// A number with its noun: `1 pod`, `2 pods`.
std::string plural(std::int64_t count, std::string_view noun);

/// The columns that a terminal takes for `text`. Each code point counts as one.
std::size_t text_width(std::string_view text);

}  // namespace trainyard
