#include "docs/markdown.h"
#include "file_text.h"
#include "folders.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace trainyard::docs {
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFence = "```";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string comment_in(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("<!--") || !line.ends_with("-->")) return {};
  return std::string(trimmed(line.substr(4, line.size() - 7)));
}

std::string_view last_word(std::string_view text) {
  text = trimmed(text);
  const std::size_t space = text.find_last_of(" |(");
  return space == std::string_view::npos ? text : text.substr(space + 1);
}

void add_code(Page& page, int number, std::string_view line) {
  std::size_t open = line.find('`');
  while (open != std::string_view::npos) {
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string_view::npos) return;
    page.code.push_back({number, std::string(last_word(line.substr(0, open))),
                         std::string(line.substr(open + 1, close - open - 1))});
    open = line.find('`', close + 1);
  }
}

void add_links(Page& page, int number, std::string_view line) {
  std::size_t open = line.find("](");
  while (open != std::string_view::npos) {
    const std::size_t close = line.find(')', open);
    if (close == std::string_view::npos) return;
    page.links.push_back({number, {}, std::string(line.substr(open + 2, close - open - 2))});
    open = line.find("](", close);
  }
}

}  // namespace

Page parse_page(std::string path, std::string_view text) {
  Page page;
  page.path = std::move(path);
  std::string previous;
  bool inside = false;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (trimmed(line).starts_with(kFence)) {
      inside = !inside;
      if (inside) {
        page.blocks.push_back(
            {number, std::string(trimmed(line).substr(kFence.size())), {}, comment_in(previous)});
      }
    } else if (inside) {
      page.blocks.back().text.append(line).append("\n");
    } else {
      add_code(page, number, line);
      add_links(page, number, line);
    }
    previous = line;
  }
  return page;
}

bool exists(const std::string& path_in_repository) {
  return fs::exists(testing::repository() / path_in_repository);
}

std::vector<Page> all_pages() {
  std::vector<std::string> paths = {"README.md",           "CONTRIBUTING.md",
                                    "golden/README.md",    "schemas/README.md",
                                    "templates/README.md", "templates/machines/README.md"};
  for (const std::string folder : {"docs/", "docs/coming-from/"}) {
    for (const auto& entry : fs::directory_iterator(testing::repository() / folder)) {
      if (entry.path().extension() == ".md") {
        paths.push_back(folder + entry.path().filename().string());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Page> pages;
  for (std::string& path : paths) {
    const std::string text = read_file(repository() / path);
    pages.push_back(parse_page(std::move(path), text));
  }
  return pages;
}

}  // namespace trainyard::docs
