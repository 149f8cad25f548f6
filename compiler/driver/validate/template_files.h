#pragma once

#include <string_view>

namespace trainyard {

// Signs in the path of a file, or in all of its text, that it is no manifest for a cluster yet.

/// `template.yaml`, `app-template.yaml`, `job.tmpl.yaml`, `job.tftpl.yaml`.
bool is_named_as_template(std::string_view path);
/// `_team_template/role.yaml`
bool is_below_templates(std::string_view path);
/// Samples and inputs of tests: what is written there is for no cluster, and each file stands for
/// itself.
bool is_of_samples(std::string_view path);
/// A line `name:` with nothing behind it.
bool has_empty_name(std::string_view text);

}  // namespace trainyard
