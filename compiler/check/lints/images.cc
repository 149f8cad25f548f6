// Images.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

constexpr auto kMovingTags =
    std::to_array<std::string_view>({"latest", "nightly", "dev", "main", "master", "edge"});

/// A digest is named, or the name is put together later.
bool says_more(char c) {
  return c == '@' || c == '$' || c == '<' || c == '{' || c == ' ';
}

/// The tag of an image; "" for none.
std::string_view tag_of(std::string_view image) {
  const std::string_view last = image.substr(image.rfind('/') + 1);
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos ? std::string_view() : last.substr(colon + 1);
}

void mutable_tag(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View image = get(each.node, "image");
    const std::string_view text = string_of(image);
    if (text.empty() || std::ranges::any_of(text, says_more)) continue;
    const std::string_view tag = tag_of(text);
    if (tag.empty()) {
      context.lint(image, "image " + shown(text) + " has no tag, which means `latest`");
    } else if (std::ranges::find(kMovingTags, tag) != kMovingTags.end()) {
      context.lint(image, "tag " + shown(tag) + " of image " + shown(text) +
                              " may mean another image tomorrow");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "mutable-image-tag",
     .on = "pod",
     .sentence = "Images are named by a tag that stays, or by a digest.",
     .source = "kubernetes/website content/en/docs/concepts/containers/images.md",
     .pod = mutable_tag,
     .severity = Severity::Warning,
     .because = "Pods of one job, or a pod after a restart, can run different programs, and a run "
                "cannot be repeated.",
     .fix = "name the release, or the digest: `image@sha256:...`"},
};

}  // namespace

const std::span<const Check> image_lints = kChecks;

}  // namespace trainyard
