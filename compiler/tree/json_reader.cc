#include "tree/json_reader.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tree/conflict_markers.h"
#include "tree/fast_json.h"

namespace trainyard {
namespace {

/// From so many entries on, a map is indexed to find repeated keys.
constexpr std::uint32_t kIndexFrom = 16;

class JsonBuilder {
 public:
  JsonBuilder(FileId file, const ReadLimits& limits, Sink& sink, std::string_view left_out)
      : file_(file), limits_(limits), sink_(sink), left_out_(left_out) {}

  Tree take() { return std::move(tree_); }

  bool scalar(Kind kind, std::string_view text) {
    if (is_left_out()) return true;
    return add(kind, tree_.intern(text)) != kNoNode;
  }

  bool key(std::string_view text) {
    if (left_out_depth_ > 0) return true;
    value_is_left_out_ = !left_out_.empty() && text == left_out_;
    if (!value_is_left_out_) frames_.back().key = tree_.intern(text);
    return true;
  }

  bool open(Kind kind) {
    if (frames_.size() + left_out_depth_ >= limits_.depth) {
      sink_.report(
          DiagnosticKind::TooDeep, {file_, 0, 0},
          "collections are nested deeper than " + std::to_string(limits_.depth) + " levels");
      return false;
    }
    if (is_left_out()) {
      ++left_out_depth_;
      return true;
    }
    const NodeId node = add(kind, {});
    if (node == kNoNode) return false;
    tree_[node].style = Style::Flow;
    frames_.push_back({node, {}, {}});
    return true;
  }

  bool close() {
    if (left_out_depth_ > 0) {
      --left_out_depth_;
    } else {
      frames_.pop_back();
    }
    return true;
  }

  bool wrong(std::size_t position) {
    const auto end = static_cast<std::uint32_t>(position);
    sink_.report(DiagnosticKind::YamlSyntax, {file_, end == 0 ? 0 : end - 1, end},
                 "this is not valid JSON");
    return false;
  }

 private:
  bool is_left_out() { return left_out_depth_ > 0 || std::exchange(value_is_left_out_, false); }

  struct Frame {
    NodeId node = kNoNode;
    std::string_view key;
    std::unordered_map<std::string_view, NodeId> index;
  };

  NodeId add(Kind kind, std::string_view text) {
    if (tree_.size() >= limits_.nodes) {
      sink_.report(DiagnosticKind::TooManyNodes, {file_, 0, 0},
                   "the file has more than " + std::to_string(limits_.nodes) + " values");
      return kNoNode;
    }
    const NodeId node = tree_.add(kind, text);
    tree_[node].span = {file_, 0, 0};
    attach(node);
    return node;
  }

  void attach(NodeId node) {
    if (frames_.empty()) {
      tree_.set_root(node);
      return;
    }
    Frame& frame = frames_.back();
    if (tree_[frame.node].is_seq()) return tree_.append(frame.node, node);
    tree_[node].key_span = {file_, 0, 0};
    const NodeId earlier = find(frame);
    if (earlier == kNoNode) {
      tree_.append(frame.node, frame.key, node);
    } else {
      tree_.replace(frame.node, earlier, node);
    }
    if (!frame.index.empty()) frame.index[frame.key] = node;
  }

  NodeId find(Frame& frame) {
    if (tree_[frame.node].size < kIndexFrom) return tree_.find(frame.node, frame.key);
    if (frame.index.empty()) {
      for (NodeId child : tree_.children(frame.node)) frame.index.emplace(tree_[child].key, child);
    }
    const auto found = frame.index.find(frame.key);
    return found == frame.index.end() ? kNoNode : found->second;
  }

  FileId file_;
  const ReadLimits& limits_;
  Sink& sink_;
  std::string_view left_out_;
  std::size_t left_out_depth_ = 0;  // collections within an entry that is left out
  bool value_is_left_out_ = false;
  Tree tree_;
  std::vector<Frame> frames_;
};

/// Reads all JSON, and says what is none.
class FullJson : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit FullJson(JsonBuilder& builder) : builder_(builder) {}

  bool null() override { return builder_.scalar(Kind::Null, {}); }
  bool boolean(bool value) override {
    return builder_.scalar(Kind::Bool, value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override { return integer(value); }
  bool number_float(number_float_t, const string_t& text) override {
    const bool is_float = text.find_first_of(".eE") != text.npos;
    return builder_.scalar(is_float ? Kind::Float : Kind::Int, text);
  }
  bool string(string_t& text) override { return builder_.scalar(Kind::String, text); }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(std::size_t) override { return builder_.open(Kind::Map); }
  bool start_array(std::size_t) override { return builder_.open(Kind::Seq); }
  bool end_object() override { return builder_.close(); }
  bool end_array() override { return builder_.close(); }
  bool key(string_t& text) override { return builder_.key(text); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return builder_.wrong(position);
  }

 private:
  template <class Integer>
  bool integer(Integer value) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return builder_.scalar(Kind::Int, {digits, static_cast<std::size_t>(end - digits)});
  }

  JsonBuilder& builder_;
};

}  // namespace

std::optional<Tree> read_json(const SourceMap& sources, FileId file, Sink& sink,
                              const ReadLimits& limits, std::string_view left_out) {
  const std::string_view text = sources.text(file);
  if (text.size() > limits.bytes) {
    sink.report(DiagnosticKind::FileTooLarge, {file, 0, 0},
                "the file has " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(limits.bytes) + " are read");
    return std::nullopt;
  }
  if (report_merge_conflicts(text, file, sink)) return std::nullopt;
  if (!limits.reference_reader) {
    using Fast = FastJson<JsonBuilder>;
    JsonBuilder builder(file, limits, sink, left_out);
    const Fast::End end = Fast(text, builder).read();
    if (end == Fast::End::Done) return builder.take();
    if (end == Fast::End::Stopped) return std::nullopt;
  }
  JsonBuilder builder(file, limits, sink, left_out);
  FullJson full(builder);
  const std::size_t errors_before = sink.error_count();
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &full)) return builder.take();
  } catch (const nlohmann::json::exception&) {
    // Reported below: nlohmann tells the handler first where it can.
  }
  if (sink.error_count() == errors_before) {
    sink.report(DiagnosticKind::YamlSyntax, {file, 0, 0}, "this is not valid JSON");
  }
  return std::nullopt;
}

}  // namespace trainyard
