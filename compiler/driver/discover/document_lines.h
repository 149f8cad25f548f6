#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A YAML document that is written from top to bottom, with comments for people.
class DocumentLines {
 public:
  /// A line at a depth, two spaces each. `text` is YAML; a comment stands behind it.
  void line(std::size_t depth, std::string_view text, std::string_view comment = "");
  /// An entry of a list of maps: on one line where there is room, else a line for each field.
  void entry(std::size_t depth, const std::vector<std::pair<std::string, std::string>>& fields,
             std::string_view comment = "");
  /// Lines of a comment alone, broken at 100 columns.
  void comment(std::size_t depth, std::string_view text);

  void append(const DocumentLines& more) { text_ += more.text_; }
  const std::string& text() const { return text_; }
  bool is_empty() const { return text_.empty(); }

 private:
  std::string text_;
};

/// As `trainyard fmt` lays it out.
std::string laid_out(const std::string& document);

/// A text as a value of YAML that every reader takes for this string, in flow collections, too.
std::string yaml_text(std::string_view text);
/// `{a: b, c: d}`
std::string flow_map(const std::vector<std::pair<std::string, std::string>>& entries);
/// `[a, b]`
std::string flow_list(const std::vector<std::string>& items);

}  // namespace trainyard
