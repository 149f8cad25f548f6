#include "driver/convert/all_numbers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "schema/schema_check.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSmallLetters = "abcdefghijklmnopqrstuvwxyz";

bool wants_number(const Violation& each) {
  if (each.kind == DiagnosticKind::BadQuantity) return true;
  return each.kind == DiagnosticKind::WrongType &&
         (each.message.find("integer") != std::string::npos ||
          each.message.find("number") != std::string::npos);
}

}  // namespace

bool has_all_numbers(Session& session, View object) {
  const Tree& tree = object.tree();
  const SchemaKind* kind =
      session.schemas.find(string_at(object, "apiVersion"), string_at(object, "kind"));
  if (kind == nullptr) return true;
  const Violation* first = nullptr;
  std::vector<std::string> texts;
  const std::vector<Violation> found = session.checker.check_object(*kind, tree, object.id());
  for (const Violation& each : found) {
    if (!wants_number(each) || each.at_key || tree[each.node].kind != Kind::String) continue;
    const std::string text(tree[each.node].text);
    // Words such as `auto` are of another release.
    if (Quantity::parse(text) || text.find_first_not_of(kSmallLetters) == text.npos) continue;
    if (first == nullptr) first = &each;
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  if (first == nullptr) return true;
  const bool is_one = texts.size() == 1;
  session.sink
      .report(first->kind, tree[first->node].span,
              listed(texts, "and") + (is_one ? " is no number" : " are no numbers") +
                  ", and the spec depends on " + (is_one ? "it" : "them"))
      .at(first->path)
      .note("fill it in first, as `envsubst` does, and convert the result");
  return false;
}

}  // namespace trainyard
