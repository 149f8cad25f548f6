#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/credentials.h"

namespace trainyard {

/// The parts of a source text, in order and apart, that must not be shown: credentials that can be
/// told by their format, and values that stand beside the name of a credential
/// (`DB_PASSWORD: hunter2`, `--token=abc`, `name: API_KEY` with its `value`), and all values of
/// Secrets.
///
/// Looks at the text alone, so that what is wrong with a document cannot uncover a secret in it.
/// Takes linear time.
std::vector<CredentialFinding> find_secrets(std::string_view source);

/// The first credential of a program or configuration, where a name such as `pad_token` and a value
/// such as `load_key(2)` are common: by its format, or a literal of digits and letters beside the
/// name of a credential.
std::optional<CredentialFinding> find_written_secret(std::string_view source);

/// The first value beside the name of a credential in a command, in words for a shell or in the
/// value of a variable: as find_secrets, but no expression of a program (`token = load(2)`) and no
/// name of a Secret.
std::optional<CredentialFinding> find_named_secret(std::string_view source);

/// True for `credentials: s3-reader` and the like: the key says that the value is the name of a
/// Secret, and it can be one.
bool refers_to_secret(std::string_view key, std::string_view value);

/// What stands in the place of a secret, whatever its length.
inline constexpr std::string_view kSecretMask = "••••";

/// The text with a mask in the place of every secret.
std::string without_secrets(std::string_view source);

}  // namespace trainyard
