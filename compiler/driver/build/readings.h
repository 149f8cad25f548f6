#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/session/session.h"

namespace trainyard {

/// What a document with mistakes may have meant. Each part that failed is marked. A reading has the
/// suggested fix in its place. Without one, readings have different values there that the schema
/// allows, and one has none.
class Readings {
 public:
  /// Of one of our own documents; both must outlive this. `cluster` is that of a spec; may be null.
  Readings(Session& session, const Document& document, const ClusterDocument* cluster = nullptr);

  /// Marks the part that an error is about. False if the document has no such part, or if nothing
  /// more can be tried there.
  bool mark(const Diagnostic& error);
  /// For an error of a reading: its place loses the suggested fix. False if it has none.
  bool give_up(const Diagnostic& error);
  /// Marks each text for which `unknown` holds.
  void mark_texts(const std::function<bool(std::string_view)>& unknown);
  /// How many different readings there are, at least one.
  std::size_t count() const;
  /// A reading by its number; numbers beyond the count repeat.
  Document reading(std::size_t number) const;
  /// Whether a finding is about a part whose value is unknown, and so may be wrong itself. Of a
  /// value that is only guessed, one error is enough.
  bool concerns(const Diagnostic& finding) const;

 private:
  struct Edit {
    enum class Kind : std::uint8_t { Rename, Replace, Remove, Add };
    Kind kind = Kind::Remove;
    Span at;             // of the key, or of an item without one
    bool scalar = true;  // the node there; a list may begin where its first item does
    std::string key;     // the new key
    std::string text;    // the new value, as YAML
  };
  /// A part that failed, and what may have been meant.
  struct Part {
    Span key;
    Span value;
    Span above;  // where the map is shown that has the part
    Span words;  // from the first to the last of a list of words, with the part among them
    std::vector<Edit> choices;
    bool mended = false;       // its value is the suggested one
    bool is_left_out = false;  // a known field for which there is no other value
  };
  struct Place {
    NodeId parent = kNoNode;
    NodeId node = kNoNode;
    SchemaId parent_schema = kNoLimit;
    SchemaId schema = kNoLimit;
  };

  Place place_of(Span span) const;
  Part* part_at(const Place& place);
  std::vector<Edit> fix_of(const Diagnostic& error) const;
  std::vector<Edit> alternatives(const Diagnostic& error, const Place& place);
  std::vector<Edit> other_keys(const Place& place) const;
  std::vector<Edit> additions(const Place& place);
  std::vector<std::string> samples(std::string_view field, SchemaId schema);
  std::set<std::string> directories() const;
  std::vector<std::string> mounts(SchemaId schema) const;
  std::vector<std::string> names(std::string_view field);
  std::vector<std::string> known_keys();
  bool fits(SchemaId schema, const Tree& tree, NodeId node) const;
  bool fits(SchemaId schema, const std::string& text) const;
  Edit edit(Edit::Kind kind, NodeId node, std::string key = {}, std::string text = {}) const;
  static void apply(const Edit& edit, Tree& tree);

  Session& session_;
  const Document& document_;
  const ClusterDocument* cluster_;
  SchemaId schema_ = kNoLimit;
  std::vector<Part> parts_;
};

}  // namespace trainyard
