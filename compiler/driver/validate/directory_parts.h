#pragma once

#include <string_view>
#include <vector>

#include "driver/checks/overlays_check.h"
#include "driver/checks/repeated_objects.h"
#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// Takes out of inputs that a directory walk has found what is no manifest by itself: the templates
/// and values of a Helm chart (its `crds/` stay), and what a kustomization lays over others. A note
/// in the session's sink says of each chart and each kustomization that it has to be rendered. What
/// a user has named stays. With `look_above`, charts and kustomizations that are not among the
/// inputs count as well: those in the folders that an input lies below.
///
/// Returns those of the rest that are applied together: a kustomization lists them among its
/// `resources`, or they lie in a directory without one that trainyard has written into.
///
/// What kustomizations make of objects with their patches goes to `overlays`, if there is one.
std::vector<AppliedTogether> leave_out_parts(std::vector<InputPart>& inputs, bool look_above,
                                             Session& session, Overlays* overlays = nullptr);

/// Whether a document belongs into a directory of manifests and is no object: a kustomization,
/// which may leave out its kind, our own maps of causes, and our config file.
bool is_no_object(const Document& document);

/// Whether a document says nothing of a Kubernetes object: neither what it is nor what one has.
bool is_something_else(const Document& document);

/// Whether a document has nothing by which its pods belong to it, no selector and no labels, or is
/// a Pod without a name. Then it is to be merged into a whole object: by server-side apply, by
/// kustomize, or by a program that takes a template for its pods.
bool is_part_to_lay_over(const Document& document);

/// The folder of one release that a document lies in, `version-v0.1.0`, where its kind is known
/// only by a definition elsewhere, which is that of another release; "" for others.
std::string_view folder_of_other_release(const Document& document, Session& session);

}  // namespace trainyard
