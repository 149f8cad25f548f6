#include "editor/field_completion.h"

#include <algorithm>
#include <set>
#include <utility>

#include "diag/words.h"
#include "editor/field_place.h"
#include "editor/known_names.h"
#include "schema/describe.h"

namespace trainyard {
namespace {

using Kind = OutlineNode::Kind;

/// `CompletionItemKind` of the protocol.
enum ItemKind : int { kProperty = 10, kValue = 12, kEnumMember = 20, kReference = 18 };

constexpr std::string_view kTyped = "x";

class Completion {
 public:
  Completion(Workspace& workspace, const OpenDocument& document, std::size_t offset)
      : workspace_(workspace),
        document_(document),
        offset_(offset),
        run_(workspace, document.path),
        text_(with_a_letter(document.text, offset)),
        outline_(text_) {}

  Json list() {
    if (const auto node = outline_.at(offset_)) offer(*node);
    return {{"isIncomplete", false}, {"items", std::move(items_)}};
  }

 private:
  /// With a letter at the cursor there is always a key or a value.
  static std::string with_a_letter(std::string text, std::size_t offset) {
    return text.insert(offset, kTyped);
  }

  void offer(std::uint32_t node) {
    const OutlineNode& at = outline_[node];
    if (outline_.is_on_key(node, offset_)) {
      begin_ = at.begin;
      return offer_keys(node, at.parent);
    }
    if (offset_ < at.value) return;
    begin_ = at.value;
    if (at.kind == Kind::Item) {
      const FieldPlace place = place_of(node);
      if (place.is_known() && place.node().properties.count != 0) return offer_fields(place, node);
    }
    offer_values(node);
  }

  FieldPlace place_of(std::uint32_t node) {
    return field_place(run_.session, document_.path, outline_, node);
  }

  void offer_keys(std::uint32_t node, std::uint32_t parent) {
    const FieldPlace place = place_of(parent);
    if (place.is_known()) {
      offer_fields(place, parent);
    } else if (outline_[parent].kind == Kind::Document) {
      for (const std::string_view key : {"apiVersion", "kind", "metadata", "spec"}) {
        if (!is_there(parent, key)) add(key, std::string(key) + ": ", kProperty, "", "", "");
      }
    }
    const auto name = name_at(outline_, node, true);
    if (name && !name->is_definition) offer_names(name->sort, ": ");
  }

  bool is_there(std::uint32_t parent, std::string_view key) const {
    const auto child = outline_.child(parent, key);
    return child && !outline_.is_on_key(*child, offset_);
  }

  void offer_fields(const FieldPlace& place, std::uint32_t parent) {
    const SchemaPack& pack = *place.pack;
    const SchemaNode& schema = place.node();
    std::set<std::string_view> required;
    for (PackText each : pack.texts(schema.required)) required.insert(pack.text(each));
    for (const SchemaProperty& each : pack.properties(schema)) {
      const std::string_view key = pack.text(each.name);
      if (is_there(parent, key)) continue;
      const SchemaNode& field = pack[each.schema];
      const bool holds_others =
          (field.types & (kObject | kArray)) == field.types && field.types != 0;
      const bool is_required = required.contains(key);
      add(key, std::string(key) + (holds_others ? ":" : ": "), kProperty,
          type_phrase(pack, each.schema) + (is_required ? ", required" : ""), help(pack, field),
          (is_required ? "0" : "1") + std::string(key));
    }
  }

  static std::string help(const SchemaPack& pack, const SchemaNode& field) {
    std::string text(pack.text(field.description));
    if (text.empty() && field.items != kNoLimit) text = pack.text(pack[field.items].description);
    if (field.default_value.size != 0) {
      text += (text.empty() ? "" : "\n\n") + std::string("Default: `") +
              plain_json(pack.text(field.default_value)) + "`";
    }
    return text;
  }

  void offer_values(std::uint32_t node) {
    const std::string_view key = outline_.key(node);
    const bool is_top = outline_[outline_[node].parent].kind == Kind::Document;
    if (is_top && (key == "kind" || key == "apiVersion")) return offer_kinds(node, key == "kind");
    const FieldPlace place = place_of(node);
    if (place.is_known()) {
      const SchemaPack& pack = *place.pack;
      const SchemaNode& schema = place.node();
      const std::string_view usual = pack.text(schema.default_value);
      for (PackText each : pack.texts(schema.enum_values)) {
        const std::string_view json = pack.text(each);
        const std::string word = plain_json(json);
        add(word, word, kEnumMember, json == usual ? "default" : "", "", "");
      }
      if (schema.types == kBoolean) {
        for (const std::string_view word : {"true", "false"}) {
          add(word, std::string(word), kValue, word == usual ? "default" : "", "", "");
        }
      }
    }
    if (const auto sort = sort_of_value(outline_, node)) offer_names(*sort, "");
  }

  void offer_names(NameSort sort, std::string_view behind) {
    for (const KnownName& each : known_names(workspace_, run_, outline_, sort)) {
      if (each.name == word_under_cursor()) continue;  // it is not typed yet
      add(each.name, each.name + std::string(behind), kReference, each.about, "", "");
    }
  }

  /// What is typed, with the letter that stands for what is still to come.
  std::string_view word_under_cursor() const {
    std::size_t end = offset_ + kTyped.size();
    while (end < text_.size() &&
           std::string_view(" \t\r\n,:}]'\"").find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    return without_quotes(std::string_view(text_).substr(begin_, end - begin_));
  }

  void offer_kinds(std::uint32_t node, bool wants_kind) {
    const std::uint32_t document = outline_.document_of(node);
    const std::string_view other = outline_.heading(document, wants_kind ? "apiVersion" : "kind");
    std::set<std::string> words;
    for (const SchemaSource& source : run_.session.schema_sources()) {
      for (const SchemaKind& each : source.pack.kinds()) {
        const std::string group(source.pack.text(each.group));
        const std::string version =
            group + (group.empty() ? "" : "/") + std::string(source.pack.text(each.version));
        const std::string kind(source.pack.text(each.kind));
        if (!other.empty() && other != (wants_kind ? version : kind)) continue;
        words.insert(wants_kind ? kind : version);
      }
    }
    for (const std::string& word : words) {
      const bool is_ours = wants_kind ? other.starts_with("trainyard/") : word.starts_with("train");
      add(word, word, kValue, "", "", (is_ours ? "0" : "1") + word);
    }
  }

  void add(std::string_view label, std::string text, ItemKind kind, const std::string& detail,
           const std::string& help, const std::string& order) {
    std::size_t begin = begin_;
    const bool is_quoted = begin < offset_ && (text_[begin] == '"' || text_[begin] == '\'');
    if (is_quoted) ++begin;
    Json item = {
        {"label", label},
        {"kind", static_cast<int>(kind)},
        {"textEdit",
         {{"range", range_json(document_.lines, document_.text, begin, offset_, workspace_.unit)},
          {"newText", std::move(text)}}}};
    if (!detail.empty()) item["detail"] = detail;
    if (!help.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", help}};
    if (!order.empty()) item["sortText"] = order;
    items_.push_back(std::move(item));
  }

  Workspace& workspace_;
  const OpenDocument& document_;
  std::size_t offset_;
  EditorRun run_;
  std::string text_;
  Outline outline_;
  std::size_t begin_ = 0;  // of what is typed so far
  Json items_ = Json::array();
};

}  // namespace

Json complete(Workspace& workspace, const OpenDocument& document, std::size_t offset) {
  return Completion(workspace, document, std::min(offset, document.text.size())).list();
}

}  // namespace trainyard
