// Values of Secrets that begin or end with white space.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/secret_sources.h"
#include "source/base64.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Keys whose values go into headers, logins and addresses as they are, and not into files.
bool is_word_of_login(std::string_view key) {
  constexpr auto parts = std::to_array<std::string_view>(
      {"token", "password", "passwd", "secret", "key", "user", "credential"});
  const std::string lower = lower_case(key);
  const bool is_file = lower.find('.') != std::string::npos || lower == "htpasswd";
  return !is_file && std::ranges::any_of(parts, [&](std::string_view part) {
    return lower.find(part) != std::string::npos;
  });
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// What is wrong with a value of one line; "" for nothing, and for texts of several lines.
std::string fault_of(std::string_view value) {
  constexpr std::size_t kLongest = 4096;
  if (value.empty() || value.size() > kLongest) return {};
  std::string_view middle = value;
  while (!middle.empty() && is_blank(middle.back())) middle.remove_suffix(1);
  const bool ends = middle.size() != value.size();
  while (!middle.empty() && is_blank(middle.front())) middle.remove_prefix(1);
  const bool is_one_word = std::ranges::all_of(middle, [](char c) { return c > 0x20 && c < 0x7f; });
  if (middle.empty() || !is_one_word) return {};
  if (ends) return value.back() == '\n' ? "ends with a line break" : "ends with white space";
  return is_blank(value.front()) ? "begins with white space" : "";
}

void secret_blanks(View secret, CheckContext& context) {
  if (is_encrypted_by_sops(secret)) return;
  for (std::string_view field : {"data", "stringData"}) {
    for (View entry : entries_at(secret, field)) {
      if (!is_word_of_login(entry.key()) || entry.kind() != Kind::String) continue;
      const auto decoded = field == "data" ? from_base64(entry->text) : std::nullopt;
      if (field == "data" && !decoded) continue;
      const std::string fault =
          fault_of(decoded ? std::string_view(*decoded) : std::string_view(entry->text));
      if (fault.empty()) continue;
      context
          .lint(entry, "the value of " + shown(entry.key()) + " " + fault +
                           ", which goes into each header and login")
          .redact(context.place(entry));
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "secret-white-space",
     .group = CheckGroup::Secrets,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "core Secret",
     .sentence = "Tokens and passwords in a Secret neither begin nor end with white space.",
     .source = "huggingface/text-embeddings-inference issue 29; ai-dynamo/modelexpress issue 277: "
               "illegal header value",
     .object = secret_blanks,
     .severity = Severity::Warning,
     .because = "Kubernetes hands the value on as it is: a header with a line break is illegal, "
                "and a password with one is another password.",
     .fix = "encode it without the line break: `printf %s TOKEN | base64`"},
};

}  // namespace

const std::span<const Check> secret_blank_lints = kChecks;

}  // namespace trainyard
