// Secrets in Git.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/credentials.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/secret_sources.h"
#include "source/base64.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A word that tells the reader to write something else there: `REPLACE_ME`, `your-token`,
/// `xxxx`.
bool is_placeholder(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>(
      {"replaceme", "changeme", "placeholder", "redacted", "fillmein", "todo"});
  constexpr auto beginnings = std::to_array<std::string_view>({"replacewith", "your"});
  const std::string word = folded(text);
  if (std::ranges::find(words, word) != words.end()) return true;
  const bool begins = std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return word.starts_with(beginning); });
  return begins || (word.size() > 2 && word.find_first_not_of("x*.") == word.npos);
}

/// A key whose middle is left out, the token and the hash of kubeadm's documentation, its host.
bool is_example(std::string_view text) {
  constexpr auto signs = std::to_array<std::string_view>(
      {"...", "abcdef.0123456789abcdef", "1234567890abcdef1234567890abcdef", ".example.com"});
  return std::ranges::any_of(
      signs, [text](std::string_view each) { return text.find(each) != text.npos; });
}

/// The same as `data` of a Secret has it.
bool is_encoded_placeholder(std::string_view text) {
  constexpr auto spellings = std::to_array<std::string_view>(
      {"REPLACE_ME", "REPLACEME", "replace_me", "replace-me", "replaceme", "CHANGE_ME", "CHANGEME",
       "change_me", "change-me", "changeme", "PLACEHOLDER", "placeholder", "REDACTED", "redacted",
       "TODO", "todo", "xxx", "xxxx"});
  return std::ranges::any_of(spellings, [text](std::string_view each) {
    return base64(each) == text || base64(std::string(each) + "\n") == text;
  });
}

bool ends_with_any(std::string_view word, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [word](std::string_view end) { return word.ends_with(end); });
}

/// What stands beside a secret in a Secret: a user, a host, an address without a password in it.
bool is_open(View value) {
  constexpr auto names = std::to_array<std::string_view>(
      {"user", "username", "host", "hostname", "region", "bucket", "port", "email"});
  constexpr auto addresses = std::to_array<std::string_view>({"url", "uri", "endpoint"});
  const std::string key = folded(value.key());
  if (ends_with_any(key, names)) return true;
  const std::string_view text = value->text;
  return ends_with_any(key, addresses) && text.find("://") != text.npos &&
         text.find('@') == text.npos;
}

/// Whether it is worth hiding: a placeholder or a variable is not.
bool is_value(View value) {
  const std::string_view text = value->text;
  if (!value->is_scalar() || value.kind() == Kind::Null || text.empty()) return false;
  if (is_open(value)) return false;
  return !text.starts_with('<') && !text.starts_with('$') && !text.starts_with("{{") &&
         !is_placeholder(text) && !is_encoded_placeholder(text) && !is_example(text);
}

/// What its issuer marked; other values may be those of an example.
bool is_credential(View value) {
  const auto found = find_credential(value->text);
  return found && !found->by_chance && !found->by_place &&
         !is_of_documentation(value->text, *found);
}

void in_clear_text(View object, CheckContext& context) {
  View first;
  std::vector<View> values;
  for (std::string_view field : {"data", "stringData"}) {
    for (View value : entries_at(object, field)) {
      if (is_encrypted_value(value) || !is_value(value)) continue;
      if (!first) first = get(object, field);
      values.push_back(value);
    }
  }
  if (values.empty()) return;
  Diagnostic& report = context.lint(
      values.front(),
      values.size() == 1
          ? "a value of this Secret stands here for all to read"
          : std::to_string(values.size()) + " values of this Secret stand here for all to read",
      std::ranges::any_of(values, is_credential) ? Severity::Warning : Severity::Note);
  for (View value : values) report.redact(context.place(value));
}

constexpr Check kChecks[] = {
    {.name = "secret-in-clear-text",
     .group = CheckGroup::Secrets,
     .effect = Effect::Risky,
     .on = "core Secret",
     .sentence = "Secrets among manifests have no values, or encrypted ones.",
     .source = "kubernetes/website content/en/docs/concepts/configuration/secret.md: base64 is no "
               "encryption",
     .object = in_clear_text,
     .severity = Severity::Warning,
     .because = "Manifests are kept in Git, for all who may read the repository, and for good.",
     .fix = "encrypt the file with SOPS, or put a SealedSecret or an ExternalSecret in its place; "
            "what was shared should be revoked"},
};

}  // namespace

const std::span<const Check> clear_text_lints = kChecks;

}  // namespace trainyard
