#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "diag/credentials.h"

namespace trainyard {

/// The names of aliases that stand in the place of secrets.
using SecretAliases = std::set<std::string_view>;

/// Adds the values of Secrets: whatever their keys are called, they are secret. Goes by the text,
/// not by a parser, so in a list with a Secret the values of ConfigMaps count as well.
void find_secret_objects(std::string_view text, std::vector<CredentialFinding>& found,
                         SecretAliases& aliases);

}  // namespace trainyard
