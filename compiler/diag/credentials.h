#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace trainyard {

/// A part of a text that looks like a credential.
struct CredentialFinding {
  std::size_t begin = 0;  // within the text that was searched
  std::size_t end = 0;
  std::string_view what;   // "a GitHub token"; never the credential itself
  bool by_chance = false;  // it has no form of its own, and chance alone makes such words
  bool by_place = false;   // it stands where one belongs; an example may stand there as well
};

/// Looks for token formats that their issuers made recognisable, private keys, passwords in URLs,
/// long words in which letters of both cases and digits are mixed as only chance mixes them, and
/// base64 of a text that holds one of these.
std::optional<CredentialFinding> find_credential(std::string_view text);

/// Whether it is the example of its issuer's documentation: `AKIA...EXAMPLE`.
inline bool is_of_documentation(std::string_view text, const CredentialFinding& found) {
  return text.substr(found.begin, found.end - found.begin).ends_with("EXAMPLE");
}

/// All of them, in order and apart. A private key ends with its last line, where it has one.
std::vector<CredentialFinding> find_credentials(std::string_view text);

/// Sorts findings and joins those that overlap.
void make_disjoint(std::vector<CredentialFinding>& findings);

/// Whether a name ends as those of credentials do, which is seen without taking it apart: most
/// names do not.
bool may_name_a_credential(std::string_view name);

/// True for names under which people keep credentials: `HF_TOKEN`, `db_password`, `--api-key`.
/// Names of files, paths, counts and switches, such as `TOKENIZERS_PARALLELISM`, are none.
bool names_a_credential(std::string_view name);

/// True when a value that stands under a name is a credential, by the name or, for a name of some
/// key (`--wandb-key`), by a value of many hexadecimal digits, or for a name such as `auth` by one
/// that is a user and a password in base64.
bool is_named_credential(std::string_view name, std::string_view value);

/// True when a value under such a name can be the credential itself: not empty, no path, no
/// reference to a variable, no boolean, number or placeholder, not encrypted by SOPS.
bool could_be_credential_value(std::string_view value);

/// Looks at the words of a command line one by one: `--token=abc`, `trainer.api_key=abc`, and
/// `--token abc` in two words.
class CredentialWords {
 public:
  /// Whether `word` holds a credential by the name of an option. One that can be told by its format
  /// is left to find_credential. The words must outlive this.
  bool holds_one(std::string_view word);

 private:
  /// The same, whatever its format.
  bool names_one(std::string_view word);

  std::string_view option_;  // that may take the next word as its value
};

}  // namespace trainyard
