#include "driver/build/refused_changes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "check/object_checks.h"
#include "diag/secrets.h"
#include "driver/checks/repeated_objects.h"
#include "driver/session/surroundings.h"
#include "kind/field_changes.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostPaths = 3;  // of an object that are named

class Comparison {
 public:
  Comparison(const Session& session, std::string_view before, std::string_view after)
      : session_(session.fork()),
        before_(read("before", before)),
        after_(read("after", after)),
        surroundings_(surroundings_of(*session_, nullptr, nullptr)) {}

  std::vector<RefusedChange> run() {
    std::vector<RefusedChange> all;
    each_pair([&](const Tree& before, const Tree& after) {
      const View object(after, after.root());
      if (std::string refusal = refusal_of(after, before); !refusal.empty()) {
        all.push_back(
            {"the API server refuses this while it is there: " + refusal, advice_for(object)});
      } else if (std::string ignored = ignored_change(View(before, before.root()), object);
                 !ignored.empty()) {
        all.push_back({"pods that run stay as they are, and those made later differ: " + ignored,
                       advice_for(object)});
      }
    });
    return all;
  }

  std::vector<std::string> refusals() {
    std::vector<std::string> all;
    each_pair([&](const Tree& before, const Tree& after) {
      std::string refusal = refusal_of(after, before);
      if (!refusal.empty()) all.push_back(std::move(refusal));
    });
    return all;
  }

 private:
  /// Calls `use` with each object of `after` and the one of its name in `before`.
  template <class Use>
  void each_pair(const Use& use) {
    for (const Tree& after : after_) {
      for (const Tree& before : before_) {
        if (is_same_object(View(before, before.root()), View(after, after.root()))) {
          use(before, after);
        }
      }
    }
  }

  /// A claim holds what the job has written so far.
  static std::string advice_for(View object) {
    return string_at(object, "kind") == "PersistentVolumeClaim"
               ? "keep it as it is, or give the new claim another `name` under `create`"
               : "delete it first, or give the job another name";
  }

  /// By the table of kinds, which also knows the effect of what is taken.
  std::string ignored_change(View before, View after) const {
    const JobKind* kind = session_->job_kinds().find(after);
    if (kind == nullptr) return {};
    std::string paths;
    std::size_t count = 0;
    for (const FieldChange& each : field_changes(*kind, before, after)) {
      if (each.effect != ChangeEffect::Ignored) continue;
      if (++count <= kMostPaths) paths += (count == 1 ? "`" : ", `") + each.path + "`";
    }
    if (count > kMostPaths) paths += " and " + std::to_string(count - kMostPaths) + " more";
    return count == 0 ? std::string() : name_of(after) + ": " + paths;
  }

  static std::string name_of(View object) {
    return std::string(string_at(object, "kind")) + "/" +
           std::string(string_at(get(object, "metadata"), "name"));
  }

  std::vector<Tree> read(const char* name, std::string_view text) {
    const FileId file = session_->sources.add(name, std::string(text));
    std::vector<Tree> trees =
        read_yaml(session_->sources, file, session_->sink, session_->limits, Ambiguity::Kubernetes);
    std::erase_if(trees, [](const Tree& tree) { return tree.size() == 0; });
    return trees;
  }

  std::vector<Diagnostic> errors_of(const Tree& after, const Tree* before) {
    Sink found;
    check_manifest_alone(after, after.root(), session_->sources, session_->schema_sources(),
                         surroundings_, found, before);
    std::vector<Diagnostic> errors = found.sorted();
    std::erase_if(errors, [](const Diagnostic& each) { return each.severity != Severity::Error; });
    return errors;
  }

  /// What is wrong with an object only because another one is there.
  std::string refusal_of(const Tree& after, const Tree& before) {
    const std::vector<Diagnostic> alone = errors_of(after, nullptr);
    for (const Diagnostic& each : errors_of(after, &before)) {
      const bool is_known = std::ranges::any_of(alone, [&](const Diagnostic& other) {
        return other.span == each.span && other.message == each.message;
      });
      if (is_known) continue;
      const View object(after, after.root());
      const std::string path = each.path.empty() ? "" : "`" + each.path + "`: ";
      return name_of(object) + ": " + path + without_secrets(each.message);
    }
    return {};
  }

  std::unique_ptr<Session> session_;
  std::vector<Tree> before_;
  std::vector<Tree> after_;
  CheckInputs surroundings_;
};

}  // namespace

std::vector<RefusedChange> refused_changes(const Session& session, std::string_view before,
                                           std::string_view after) {
  return Comparison(session, before, after).run();
}

std::vector<std::string> api_refusals(const Session& session, std::string_view before,
                                      std::string_view after) {
  return Comparison(session, before, after).refusals();
}

}  // namespace trainyard
