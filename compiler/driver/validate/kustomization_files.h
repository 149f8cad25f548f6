#pragma once

#include <string>

#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// Warns of local files and folders that a kustomization names and that are not there. `folder` is
/// where it stands, with a `/` at the end. What is named by a URL, and files of Secrets, which
/// people keep elsewhere, are left alone.
void check_kustomization_files(View kustomization, const std::string& folder, Session& session);

/// Whether kustomize takes a name for one of its own machine, as far as that is certain: no URL, no
/// repository, nothing that a template or a shell has still to fill in.
bool is_local_resource(std::string_view name);

/// `base/../patches/./a.yaml` as `patches/a.yaml`.
std::string without_steps(std::string_view path);

}  // namespace trainyard
