#include "spec/credential_literals.h"

#include <cstdint>
#include <string>

#include "diag/credentials.h"
#include "diag/secrets.h"
#include "tree/recent_texts.h"

namespace trainyard {
namespace {

constexpr std::string_view kByVariable = "a credential, by the name of its variable,";
constexpr std::string_view kByOption = "a credential, by the name of its option,";
constexpr std::string_view kByName = "a credential, by the name that it stands under,";

/// Lists of words that are started.
bool holds_words(std::string_view key) {
  return key == "args" || key == "command" || key == "launcherArgs";
}

/// A cheap look before a text is searched for names and their values.
bool may_assign(std::string_view text) {
  return text.find('=') != std::string_view::npos || text.find('"') != std::string_view::npos ||
         text.find(": ") != std::string_view::npos || text.find("--") != std::string_view::npos;
}

/// What was seen of a text.
enum Sight : std::uint8_t { kClean = 1, kMayAssign = 2 };

/// Keys, and many values, are the same few words in each spec: what was seen of short ones is
/// remembered.
std::uint8_t look_at(std::string_view text) {
  if (text.empty()) return kClean;
  constinit thread_local RecentTexts known;
  const bool is_short = text.size() <= RecentTexts::kLongest;
  const std::uint8_t* note = is_short ? known.find(text) : nullptr;
  if (note != nullptr) return *note;
  if (find_credential(text)) return 0;
  const std::uint8_t sight = may_assign(text) ? kClean | kMayAssign : kClean;
  if (is_short) known.add(text, sight);
  return sight;
}

class Search {
 public:
  Search(const Tree& tree, Sink& sink) : tree_(tree), sink_(sink) {}

  void look(NodeId id, bool in_variables) {
    const Node& node = tree_[id];
    if ((look_at(node.key) & kClean) == 0) refuse(node.key_span, find_credential(node.key)->what);
    if (node.is_scalar()) return scalar(node, node.key, in_variables);
    if (node.is_seq() && holds_words(node.key)) return words(id);
    const View name = node.is_map() ? View(tree_, id)["name"] : View();
    for (const NodeId child : tree_.children(id)) {
      const Node& part = tree_[child];
      if (part.key == "value" && part.is_scalar() && name) {
        scalar(part, name.text(), true);
      } else {
        look(child, node.key == "env");
      }
    }
  }

 private:
  void refuse(Span where, std::string_view what) { refuse_credential(where, what, true, sink_); }

  void scalar(const Node& node, std::string_view name, bool is_variable) {
    const std::uint8_t sight = look_at(node.text);
    if ((sight & kClean) == 0) return refuse(node.span, find_credential(node.text)->what);
    if (name == "content") {  // of a file: a program has other words behind `token =`
      if (find_written_secret(node.text)) refuse(node.span, kByName);
    } else if (is_named_credential(name, node.text) && !refers_to_secret(name, node.text)) {
      refuse(node.span, is_variable ? kByVariable : kByName);
    } else if ((sight & kMayAssign) != 0 && find_named_secret(node.text)) {
      refuse(node.span, kByName);
    }
  }

  void words(NodeId list) {
    CredentialWords command;
    for (const NodeId id : tree_.children(list)) {
      const Node& word = tree_[id];
      if (!word.is_scalar()) continue;
      const bool by_option = command.holds_one(word.text);
      if ((look_at(word.text) & kClean) == 0) {
        refuse(word.span, find_credential(word.text)->what);
      } else if (by_option) {
        refuse(word.span, kByOption);
      } else if (word.text.find_first_of(" \n") != std::string_view::npos &&
                 find_named_secret(word.text)) {
        refuse(word.span, kByName);
      }
    }
  }

  const Tree& tree_;
  Sink& sink_;
};

}  // namespace

void refuse_credentials(const Tree& tree, NodeId id, Sink& sink) {
  Search(tree, sink).look(id, false);
}

void refuse_credential(Span where, std::string_view what, bool redacted, Sink& sink) {
  Diagnostic& report = sink.report(DiagnosticKind::CredentialLiteral, where,
                                   "this looks like " + std::string(what) + " in clear text");
  report.note(
      "put it into a Secret and refer to it in `secretEnv`; the value is not repeated here, "
      "but it is in the file and should be revoked if the file was shared");
  if (redacted) report.redact(where);
}

}  // namespace trainyard
