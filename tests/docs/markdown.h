#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::docs {

/// A fenced block, and the HTML comment on the line above its fence, which says how to check it.
struct Block {
  int line = 0;          // of the opening fence
  std::string language;  // "yaml"
  std::string text;
  std::string comment;  // what is between `<!--` and `-->`; "" when there is none
};

/// A piece of code within a line, or the target of a link.
struct Mention {
  int line = 0;
  std::string before;  // the word in front of it: "rule" of "rule `storage`"
  std::string text;
};

struct Page {
  std::string path;  // below the repository
  std::vector<Block> blocks;
  std::vector<Mention> code;
  std::vector<Mention> links;
};

Page parse_page(std::string path, std::string_view text);

/// README.md, CONTRIBUTING.md and what else in the repository is written for people.
std::vector<Page> all_pages();

bool exists(const std::string& path_in_repository);

}  // namespace trainyard::docs
