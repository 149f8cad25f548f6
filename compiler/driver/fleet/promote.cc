#include "driver/fleet/promote.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "diag/words.h"
#include "driver/fleet/fleet_plan.h"
#include "driver/format/difference.h"
#include "driver/session/inputs.h"
#include "kind/job_kind.h"
#include "tree/differences.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Edit {
  Span span;
  std::string text;
};

class Promoter {
 public:
  Promoter(Session& session, const PromoteRequest& request, const FleetPlan& plan)
      : session_(session), request_(request), plan_(plan) {}

  Promotion run() {
    std::vector<std::string> names;
    const PlannedCluster* from = nullptr;
    const PlannedCluster* to = nullptr;
    for (const PlannedCluster& each : plan_.clusters) {
      const std::string name = name_of_cluster(each);
      if (name == request_.from) from = &each;
      if (name == request_.to) to = &each;
      names.push_back(name);
    }
    if (!is_known("--from", request_.from, from, names)) return {};
    if (!is_known("--to", request_.to, to, names)) return {};
    const auto source = spec_of(*from, request_.from);
    const auto target = spec_of(*to, request_.to);
    if (!source || !target || !are_two(*source, *target)) return {};
    std::vector<std::string> fields = request_.fields;
    if (fields.empty()) fields.emplace_back("image");
    for (const std::string& each : fields) field(each, *source, *target);
    if (session_.sink.has_errors()) return {};
    promotion_.from = source->path;
    promotion_.to = target->path;
    if (!edits_.empty()) apply(*target);
    return session_.sink.has_errors() ? Promotion() : std::move(promotion_);
  }

 private:
  std::string name_of_cluster(const PlannedCluster& cluster) {
    std::string name;
    for_each_document({cluster.file}, session_.env, session_.sources, session_.sink,
                      session_.limits, Ambiguity::Refuse, [&](Document& document) {
                        if (document.kind != "Cluster") return;
                        name = string_at(get(document.root(), "metadata"), "name");
                      });
    return name;
  }

  bool is_known(std::string_view option, const std::string& name, const PlannedCluster* found,
                const std::vector<std::string>& names) {
    if (session_.sink.has_errors()) return false;
    if (found != nullptr) return true;
    session_.sink.report(DiagnosticKind::UnknownReference, {},
                         "`" + std::string(option) + "`: the fleet has no cluster " + shown(name) +
                             "; expected " + listed(names, "or"));
    return false;
  }

  std::optional<Document> spec_of(const PlannedCluster& cluster, const std::string& name) {
    std::optional<Document> found;
    for (const InputPart& input : cluster.specs) {
      for_each_document_of(
          input, session_.env, session_.sources, session_.sink, session_.limits, Ambiguity::Refuse,
          [&](Document& document) {
            const View label = get(get(document.root(), "metadata"), "name");
            if (document.kind != "TrainingJob" || label.text() != request_.job) return;
            if (found) {
              session_.sink
                  .report(DiagnosticKind::DuplicateItem, label->span,
                          "the cluster " + shown(name) + " has a second job " + shown(request_.job))
                  .also(get(get(found->root(), "metadata"), "name")->span, "the first one");
              return;
            }
            found = std::move(document);
          });
    }
    if (session_.sink.has_errors()) return std::nullopt;
    if (!found) {
      session_.sink.report(
          DiagnosticKind::UnknownReference, {},
          "no spec of the cluster " + shown(name) + " has the name " + shown(request_.job));
    }
    return found;
  }

  bool are_two(const Document& source, const Document& target) {
    if (source.path != target.path) return true;
    session_.sink
        .report(DiagnosticKind::ConflictingValues, get(source.root(), "metadata")->span,
                "both clusters have this spec, so there is nothing to promote")
        .note("what differs between them stands in their Clusters, overlays and locks");
    return false;
  }

  /// A scalar of the spec itself: what it extends may hold for other jobs, too.
  View scalar(const Document& spec, const std::string& path) {
    const View at = field_at(get(spec.root(), "spec"), path);
    if (at && at->is_scalar()) return at;
    session_.sink
        .report(DiagnosticKind::MissingField, get(spec.root(), "spec")->span,
                at ? "`spec." + path + "` is no single value"
                   : "`" + spec.path + "` has no `spec." + path + "` of its own")
        .note(
            "`promote` copies single values that stand in both specs; write it there, or name "
            "another one with `--field`");
    return {};
  }

  void field(std::string path, const Document& source, const Document& target) {
    if (path.starts_with("spec.")) path.erase(0, 5);
    const View value = scalar(source, path);
    const View old = scalar(target, path);
    if (!value || !old || value.text() == old.text()) return;
    promotion_.fields.push_back(
        {"spec." + path, std::string(old.text()), std::string(value.text())});
    edits_.push_back({old->span, std::string(session_.sources.text(value->span))});
  }

  void apply(const Document& target) {
    const std::string_view before = session_.sources.text(target.file);
    std::ranges::sort(edits_, {}, [](const Edit& each) { return each.span.begin; });
    std::string after(before);
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit) {
      after.replace(edit->span.begin, edit->span.size(), edit->text);
    }
    if (!holds_just_that(target, after)) {
      session_.sink
          .report(DiagnosticKind::CannotFormat, get(target.root(), "spec")->span,
                  "the values cannot be put into `" + target.path +
                      "` as they are written in the "
                      "other spec")
          .note("write them by hand");
      return;
    }
    promotion_.difference = difference(target.path, target.path, before, after);
    if (!request_.write) return;
    if (const auto error = session_.env.files.write(target.path, after)) {
      session_.sink.report(DiagnosticKind::OutputFailed, {},
                           "`" + target.path + "`: " + error->message);
    }
  }

  /// Whether the new text differs from the old one in the wanted values alone.
  bool holds_just_that(const Document& target, const std::string& text) {
    const std::unique_ptr<Session> reader = session_.fork();
    const FileId file = reader->sources.add(target.path, text);
    for (const Tree& tree :
         read_yaml(reader->sources, file, reader->sink, reader->limits, Ambiguity::Refuse)) {
      const View root(tree, tree.root());
      if (string_at(get(root, "metadata"), "name") != request_.job) continue;
      std::vector<Difference> differences;
      append_differences(target.root(), root, "", differences);
      return !reader->sink.has_errors() &&
             std::ranges::all_of(differences,
                                 [&](const Difference& each) {
                                   return std::ranges::any_of(
                                       promotion_.fields, [&](const PromotedField& field) {
                                         return each.after && each.path == field.path &&
                                                each.after.text() == field.after;
                                       });
                                 }) &&
             differences.size() == promotion_.fields.size();
    }
    return false;
  }

  Session& session_;
  const PromoteRequest& request_;
  const FleetPlan& plan_;
  std::vector<Edit> edits_;
  Promotion promotion_;
};

}  // namespace

Promotion promote(Session& session, const PromoteRequest& request) {
  const auto plan = read_fleet(session, request.fleet);
  if (plan == nullptr) return {};
  return Promoter(session, request, *plan).run();
}

}  // namespace trainyard
