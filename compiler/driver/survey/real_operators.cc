#include "driver/survey/real_operators.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// An image without and with its tag.
struct Image {
  std::string_view repository;
  std::string_view tag;  // "" where it has none
};

Image take_apart(std::string_view image) {
  const std::string_view plain = image.substr(0, image.find('@'));
  const std::size_t slash = plain.rfind('/');
  const std::size_t colon = plain.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon == std::string_view::npos) return {plain, ""};
  return {plain.substr(0, colon), plain.substr(colon + 1)};
}

bool runs_image(const Image& image, std::string_view end) {
  if (image.repository.ends_with(end)) return true;
  // `kueue` alone is `/kueue` in the registry of the runtime.
  return end.starts_with('/') && image.repository == end.substr(1);
}

/// What the Deployment says of its release where the tag does not: charts of Helm label it.
std::string labelled_release(View deployment) {
  const View labels = get(get(deployment, "metadata"), "labels");
  return release_in(string_at(labels, "app.kubernetes.io/version"));
}

void find_release(const Survey& survey, std::string_view image, RealOperator& found) {
  for (const View deployment : survey.kind("Deployment.apps").items) {
    const View pod = get(get(get(deployment, "spec"), "template"), "spec");
    for (const View container : items_at(pod, "containers")) {
      const Image runs = take_apart(string_at(container, "image"));
      if (!runs_image(runs, image)) continue;
      std::string release = release_in(runs.tag);
      const bool is_tagged = !release.empty();
      if (!is_tagged) release = labelled_release(deployment);
      const View metadata = get(deployment, "metadata");
      found.controller = "Deployment " + std::string(string_at(metadata, "namespace")) + "/" +
                         std::string(string_at(metadata, "name"));
      if (release.empty()) continue;
      found.version = std::move(release);
      found.told_by = found.controller;
      found.is_tagged = is_tagged;
      return;
    }
  }
}

}  // namespace

std::vector<RealOperator> real_operators(const Survey& survey) {
  std::vector<RealOperator> found;
  for (const OperatorSign& sign : discovery_signs().operators) {
    RealOperator here{.which = sign.which, .kind = sign.kind};
    if (!sign.image.empty()) find_release(survey, sign.image, here);
    const bool is_there =
        survey.serves(sign.kind) || (!survey.knows_kinds && !here.controller.empty());
    if (is_there) found.push_back(std::move(here));
  }
  return found;
}

std::string tag_of(std::string_view image, std::string_view end) {
  const Image taken = take_apart(image);
  return runs_image(taken, end) ? std::string(taken.tag) : std::string();
}

std::string_view kind_of(Operator which) {
  const auto& signs = discovery_signs().operators;
  const auto found = std::ranges::find(signs, which, &OperatorSign::which);
  return found == signs.end() ? std::string_view() : found->kind;
}

std::string release_in(std::string_view tag) {
  if (tag.starts_with('v')) tag.remove_prefix(1);
  const std::size_t end = std::min(tag.find_first_not_of("0123456789."), tag.size());
  std::string_view release = tag.substr(0, end);
  while (release.ends_with('.')) release.remove_suffix(1);
  return release.find('.') == std::string_view::npos ? std::string() : std::string(release);
}

}  // namespace trainyard
