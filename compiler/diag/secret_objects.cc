#include "diag/secret_objects.h"

#include <algorithm>

#include "diag/secret_text.h"
#include "source/word_table.h"

namespace trainyard {
namespace {

using namespace secret_text;

class SecretObjects {
 public:
  SecretObjects(std::string_view text, std::vector<CredentialFinding>& found,
                SecretAliases& aliases)
      : text_(text), found_(found), aliases_(aliases) {}

  void run() {
    std::size_t begin = 0;
    while (begin < text_.size()) {
      const std::size_t next = text_.find("\n---", begin);
      const std::size_t end = std::min(next, text_.size());
      document(begin, end);
      begin = next == std::string_view::npos ? text_.size() : end + 1;
    }
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  void document(std::size_t begin, std::size_t end) {
    if (!is_secret(begin, end)) return;
    constexpr std::string_view kOfArgoCd = "argocd.argoproj.io/secret-type";
    is_of_argocd_ = text_.substr(begin, end - begin).find(kOfArgoCd) != std::string_view::npos;
    for (std::size_t at = begin; at < end;) {
      const std::size_t key = text_.substr(0, end).find("ata", at);  // of `data` and `stringData`
      if (key == std::string_view::npos) return;
      at = key + 3;
      std::size_t name = key;
      while (name > begin && is_name(text_[name - 1])) --name;
      const std::string_view word = text_.substr(name, at - name);
      if (word != "data" && word != "stringData") continue;
      std::size_t sign = at;
      while (sign < end && (is_quote(text_[sign]) || text_[sign] == '\\' || text_[sign] == ' '))
        ++sign;
      if (sign >= end || text_[sign] != ':') continue;
      at = values(name, sign + 1, end);
    }
  }

  /// What Argo CD calls a repository or a cluster, and where that is.
  bool is_open(std::string_view key) const {
    constexpr auto kKeys = word_table<"enableOCI name project server type url">;
    return is_of_argocd_ && std::ranges::find(kKeys, key) != std::end(kKeys);
  }

  /// `kind: Secret`, in quotes or without.
  bool is_secret(std::size_t begin, std::size_t end) const {
    constexpr std::string_view kKind = "Secret";
    const std::string_view text = text_.substr(0, end);
    for (std::size_t at = text.find(kKind, begin); at != std::string_view::npos;
         at = text.find(kKind, at + kKind.size())) {
      const std::size_t behind = at + kKind.size();
      if (behind < end && is_name(text[behind])) continue;
      std::size_t before = at;
      while (before > begin && (is_quote(text[before - 1]) || is_blank(text[before - 1]) ||
                                text[before - 1] == '\\' || text[before - 1] == ':')) {
        --before;
      }
      if (text.substr(begin, before - begin).ends_with("kind")) return true;
    }
    return false;
  }

  /// The values of a map, which starts behind its key's `:`; returns where it ends.
  std::size_t values(std::size_t key, std::size_t at, std::size_t end) {
    std::size_t first = std::min(text_.find_first_not_of(" \t\r\n", at), end);
    first = behind_properties(text_.substr(0, end), first);
    if (first < end && text_[first] == '{') return flow(first + 1, end);
    return block(key, at, end);
  }

  std::size_t flow(std::size_t at, std::size_t end) {
    while (at < end && text_[at] != '}') {
      const char c = text_[at];
      if (is_blank(c) || c == ',' || c == ':' || c == '\\') {
        ++at;
        continue;
      }
      std::size_t begin = at;
      std::size_t behind = 0;
      if (is_quote(c)) {
        begin = at + 1;
        behind = begin;
        while (behind < end && text_[behind] != c)
          behind += text_[behind] == '\\' && c == '"' ? 2U : 1U;
        behind = std::min(behind, end);
        at = std::min(behind + 1, end);
        // In a text within a text the closing quote has a backslash before it.
        if (behind > begin && text_[behind - 1] == '\\') --behind;
      } else {
        while (at < end && text_[at] != ',' && text_[at] != '}' && text_[at] != '\n' &&
               !(text_[at] == ':' && at + 1 < end && is_blank(text_[at + 1]))) {
          ++at;
        }
        behind = at;
      }
      const std::size_t next = text_.find_first_not_of(" \t\\", at);
      const bool is_key = next < end && text_[next] == ':';
      if (!is_key && behind > begin) found_.push_back({begin, behind, kWhat});
    }
    return at;
  }

  std::size_t indent_at(std::size_t line) const {
    return std::min(text_.find_first_not_of(' ', line), text_.size()) - line;
  }

  /// The lines that are indented deeper than the key.
  std::size_t block(std::size_t key, std::size_t at, std::size_t end) {
    const std::size_t above = text_.rfind('\n', key);
    const std::size_t least = key - (above == std::string_view::npos ? 0 : above + 1);
    std::size_t entries = 0;  // the indent of the keys
    std::size_t line = std::min(text_.find('\n', at), end);
    while (line < end && ++line < end) {
      const std::size_t next = std::min(text_.find('\n', line), end);
      const std::size_t indent = indent_at(line);
      const bool is_empty = line + indent >= next || text_[line + indent] == '#';
      if (!is_empty && indent <= least) return line;
      if (!is_empty && entries == 0) entries = indent;
      if (!is_empty) entry(line + indent, next, indent <= entries);
      line = next;
    }
    return end;
  }

  void entry(std::size_t begin, std::size_t end, bool has_key) {
    if (has_key) {
      const std::size_t sign = text_.substr(0, end).find(": ", begin);
      if (sign == std::string_view::npos) return;  // its value is below
      if (is_open(text_.substr(begin, sign - begin))) return;
      begin = std::min(text_.find_first_not_of(" \t", sign + 1), end);
      begin = behind_properties(text_.substr(0, end), begin);
      if (begin < end && text_[begin] == '*') aliases_.insert(anchor_at(text_, begin + 1));
      constexpr std::string_view kHeaders = "|>*";
      if (begin < end && kHeaders.find(text_[begin]) != std::string_view::npos) return;
    }
    if (end > begin && text_[end - 1] == '\r') --end;
    if (end - begin >= 2 && is_quote(text_[begin]) && text_[end - 1] == text_[begin]) {
      ++begin;
      --end;
    }
    if (end > begin) found_.push_back({begin, end, kWhat});
  }

  std::string_view text_;
  bool is_of_argocd_ = false;  // the current document
  std::vector<CredentialFinding>& found_;
  SecretAliases& aliases_;
};

}  // namespace

void find_secret_objects(std::string_view text, std::vector<CredentialFinding>& found,
                         SecretAliases& aliases) {
  SecretObjects(text, found, aliases).run();
}

}  // namespace trainyard
