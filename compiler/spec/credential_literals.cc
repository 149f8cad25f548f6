#include "spec/credential_literals.h"

#include <algorithm>
#include <string>

#include "source/credentials.h"
#include "source/secrets.h"

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

class Search {
 public:
  Search(const Tree& tree, Sink& sink) : tree_(tree), sink_(sink) {}

  void look(NodeId id, bool in_variables) {
    const Node& node = tree_[id];
    if (const auto found = find_credential(node.key)) refuse(node.key_span, found->what);
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
    if (const auto found = find_credential(node.text)) return refuse(node.span, found->what);
    if (name == "content") {  // of a file: a program has other words behind `token =`
      if (find_written_secret(node.text)) refuse(node.span, kByName);
    } else if (is_named_credential(name, node.text) && !refers_to_secret(name, node.text)) {
      refuse(node.span, is_variable ? kByVariable : kByName);
    } else if (may_assign(node.text) && find_named_secret(node.text)) {
      refuse(node.span, kByName);
    }
  }

  void words(NodeId list) {
    CredentialWords command;
    for (const NodeId id : tree_.children(list)) {
      const Node& word = tree_[id];
      if (!word.is_scalar()) continue;
      const bool by_option = command.holds_one(word.text);
      if (const auto found = find_credential(word.text)) {
        refuse(word.span, found->what);
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
