#include "driver/build/changed_claims.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "diag/words.h"
#include "driver/build/refused_changes.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::string_view kKindLine = "\nkind: PersistentVolumeClaim\n";
constexpr std::string_view kStart = "---\n";

/// Calls `use` with the text of each document of a built file that is a claim, and the claim.
template <class Use>
void each_claim(const Session& session, std::string_view text, const Use& use) {
  if (text.find(kKindLine) == std::string_view::npos) return;
  const std::unique_ptr<Session> reader = session.fork();
  while (!text.empty()) {
    // Only a line of its own starts a document.
    std::size_t next = text.find(std::string("\n").append(kStart));
    next = next == std::string_view::npos ? text.size() : next + 1;
    const std::string_view part = text.substr(0, next);
    text.remove_prefix(next == text.size() ? next : next + kStart.size());
    if (part.find(kKindLine) == std::string_view::npos) continue;
    const FileId file = reader->sources.add("claim", std::string(part));
    for (const Tree& tree :
         read_yaml(reader->sources, file, reader->sink, reader->limits, Ambiguity::Kubernetes)) {
      const View object(tree, tree.root());
      if (string_at(object, "kind") == "PersistentVolumeClaim") use(part, get(object, "metadata"));
    }
  }
}

std::string key_of(View metadata) {
  return std::string(string_at(metadata, "namespace")) + "/" +
         std::string(string_at(metadata, "name"));
}

}  // namespace

void ChangedClaims::add_before(const std::string& path, std::string_view text) {
  each_claim(session_, text, [&](std::string_view part, View metadata) {
    before_.try_emplace(key_of(metadata), Claim{path, std::string(part)});
  });
}

void ChangedClaims::report_after(std::string_view text, const FileCauses& causes) {
  each_claim(session_, text, [&](std::string_view part, View metadata) {
    const auto found = before_.find(key_of(metadata));
    if (found == before_.end() || found->second.text == part) return;
    const Claim& before = found->second;
    const std::string_view name = string_at(metadata, "name");
    const auto cause = std::ranges::find(causes.claims, name, &ClaimCause::name);
    const Span place = cause == causes.claims.end() ? causes.job : cause->place;
    for (const std::string& refusal : api_refusals(session_, before.text, part)) {
      session_.sink
          .report(DiagnosticKind::OutputConflict, place,
                  "this would change the claim " + shown(name) + " of `" + before.path +
                      "`, and the API server refuses that: " + refusal)
          .note(
              "to create it again, the claim must be deleted, with all data that jobs have written "
              "to it")
          .note(
              "keep it as it is: `accessModes` left out are `ReadWriteOnce` for one node and "
              "`ReadWriteMany` for several; or give the new claim another `name` under `create`. "
              "If it is on no cluster yet, remove `" +
              before.path + "`");
    }
  });
}

}  // namespace trainyard
