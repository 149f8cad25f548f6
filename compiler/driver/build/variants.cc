#include "driver/build/variants.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/build/more_mistakes.h"
#include "driver/session/document_size.h"
#include "driver/session/layer_files.h"
#include "spec/credential_literals.h"
#include "spec/matrix.h"

namespace trainyard {
namespace {

/// Holds a matrix to its part of the schema.
bool is_sound_matrix(Session& session, const Document& document, View matrix) {
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "TrainingJob");
  const auto schema = session.schemas.property(session.schemas[kind->schema], "matrix");
  std::vector<Violation> violations =
      session.checker.check(schema.value_or(kAnySchema), document.tree, matrix.id());
  for (Violation& each : violations) {
    const bool joined = each.path.empty() || each.path.starts_with('[');
    each.path.insert(0, joined ? "matrix" : "matrix.");
  }
  report(violations, document.tree, {}, session.sink);
  return violations.empty();
}

void each_combination(Session& session, const Document& document, View matrix,
                      const std::function<void(Document&)>& use) {
  const std::size_t errors = session.sink.error_count();
  if (!has_sensible_size(session, document.tree)) return;
  // Names and messages have parameters in them.
  refuse_credentials(document.tree, document.tree.root(), session.sink);
  if (session.sink.error_count() != errors || !is_sound_matrix(session, document, matrix)) {
    return report_own_mistakes(session, document);
  }
  const auto all = combinations(document.tree, matrix.id(), session.sink);
  check_references(document.tree, matrix.id(), session.sink);
  if (!all || session.sink.error_count() != errors) return report_own_mistakes(session, document);
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "TrainingJob");
  const std::vector<std::string> endings = name_endings(document.tree, *all);
  for (std::size_t i = 0; i < all->size(); ++i) {
    auto places = std::make_shared<SpecPlaces>();
    if (document.places != nullptr) *places = *document.places;
    if (!places->has(document.file)) places->files.push_back(document.file);
    Document variant;
    variant.path = document.path;
    variant.file = document.file;
    variant.from_directory = document.from_directory;
    if (!make_variant(session.schemas, kind->schema, document.tree, (*all)[i], endings[i],
                      variant.tree, *places, session.sink)) {
      continue;
    }
    variant.api_version = variant.root()["apiVersion"].text();
    variant.kind = variant.root()["kind"].text();
    places->finish();
    variant.places = std::move(places);
    use(variant);
  }
}

/// Whether the text of a document may refer to parameters. One that was put together is looked at
/// in any case.
bool may_have_references(Session& session, const Document& document) {
  if (document.places != nullptr) return true;
  return may_refer_to_matrix(session.sources.text(document.root()->span));
}

}  // namespace

void for_each_variant(Session& session, Document& document,
                      const std::function<void(Document&)>& use) {
  if (!document.root() || !document.root()->is_map()) return use(document);
  std::optional<Document> merged;
  Document* whole = &document;
  if (has_layers(session, document)) {
    merged = put_together(session, document);
    if (!merged) return report_own_mistakes(session, document);
    whole = &*merged;
  }
  const View matrix = whole->root()["matrix"];
  if (matrix && matrix->kind != Kind::Null) return each_combination(session, *whole, matrix, use);
  if (may_have_references(session, *whole) &&
      !check_references(whole->tree, kNoNode, session.sink)) {
    return report_own_mistakes(session, *whole);
  }
  use(*whole);
}

}  // namespace trainyard
