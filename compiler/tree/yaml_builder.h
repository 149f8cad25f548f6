#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "diag/sink.h"
#include "tree/scalar.h"
#include "tree/tree.h"
#include "tree/yaml_input.h"
#include "tree/yaml_text.h"

namespace trainyard {

/// Thrown out of yaml-cpp when a budget is spent; the diagnostic is in the sink already.
struct StopReading {};

/// Builds trees from the events of yaml-cpp, whose marks are byte offsets of the first character of
/// a node or its properties; the ends come from the text.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(const YamlInput& input, Sink& sink);

  std::vector<Tree> take() { return std::move(trees_); }
  /// How many events came so far.
  std::size_t events() const { return events_; }
  /// Everything before this offset has been built.
  std::size_t last_end() const { return last_end_; }
  /// The anchors defined so far, in the document being read.
  const std::vector<std::string>& anchor_names() const { return anchor_names_; }
  /// The bracket of the innermost flow collection that is open, or the size of the text.
  std::size_t open_bracket() const;
  /// The column of the innermost collection that is open, -1 for none.
  long open_column() const;
  /// The scalars and flow collections, if the input asks for them.
  std::vector<Span> take_text_spans() { return std::move(text_spans_); }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override;
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override;

 private:
  struct Key {
    std::string_view text;
    Span span;
    bool usable = true;  // else its entry is left out
    bool merge = false;  // `<<`
  };
  /// A collection that is open.
  struct Frame {
    NodeId node = kNoNode;
    bool flow = false;
    bool is_key = false;       // of the map around it
    bool has_key = false;      // a map that waits for a value
    long column = 0;           // of a block collection
    std::size_t last_end = 0;  // of the last child, or of the opening bracket
    YAML::anchor_t anchor = 0;
    Key key;  // whose value comes next
    NodeId before_merge = kNoNode;
    NodeId merge = kNoNode;  // the value of `<<`
    Span merge_key;
    std::unordered_map<std::string_view, NodeId> index;  // of a large map
  };
  /// A scalar as it stands in the text.
  struct Found {
    Span span;
    Style style = Style::Plain;
    std::string_view text;
    bool missing = false;
  };

  bool key_expected() const;
  std::size_t offset(const YAML::Mark& mark) const;
  Span span(std::size_t begin, std::size_t end) const;
  std::string path() const;

  Found find_scalar(std::size_t mark, const std::string& tag, bool anchor,
                    const std::string& value);
  Found missing_scalar(std::size_t properties_end, bool properties);
  void check_missing_value(std::size_t next);
  void check_quoted(const Found& found);
  void check_block_text(const Found& found, const std::string& value);
  void syntax(std::size_t begin, std::size_t end, std::string message);
  bool null_word_at(std::size_t at) const;
  void scalar(const Found& found, std::string_view tag, YAML::anchor_t anchor);
  void set_value(Node& node, const Found& found, std::string_view tag);
  void plain_value(Node& node, const Found& found);
  void tagged_value(Node& node, const Found& found, std::string_view tag);
  void refuse_ambiguous(const Found& found, const PlainScalar& meaning, bool key);
  void check_collection_tag(std::size_t mark, std::string_view tag, std::string_view wanted);
  void bad_tag(const Found& found, std::string_view tag, bool known);

  void take_key(const Found& found, std::string_view tag);
  void take_alias_key(NodeId target, Span where);
  void bad_key(Span where, std::string_view what);

  NodeId add_node(Kind kind, Span where);
  void count_node(Span where);
  void note_text(Span where);
  void attach(NodeId node);
  void attach_entry(Frame& frame, NodeId node);
  void take_last(NodeId earlier, NodeId node);
  NodeId find_key(Frame& frame, std::string_view key);
  void note_key(Frame& frame, NodeId node);
  void open(Kind kind, std::size_t mark, const std::string& tag, YAML::anchor_t anchor, bool flow);
  void close();
  void close_merge(Frame& frame);
  void merge_map(Frame& frame, NodeId source, std::vector<NodeId>& merged);

  /// `node` is kNoNode while the anchored collection is open.
  void define(YAML::anchor_t anchor, NodeId node);
  NodeId expand(NodeId target, std::size_t depth, Span alias);

  const YamlInput& input_;
  YamlText text_;
  Sink& sink_;
  std::vector<Tree> trees_;
  Tree tree_;
  std::vector<Frame> frames_;
  std::vector<NodeId> anchors_;  // by yaml-cpp's number; kNoNode while it is being read
  std::vector<std::string> anchor_names_;
  std::vector<Span> text_spans_;
  std::size_t events_ = 0;
  std::size_t nodes_ = 0;
  std::size_t last_end_ = 0;
  bool between_documents_ = false;
  bool in_empty_document_ = false;
};

}  // namespace trainyard
