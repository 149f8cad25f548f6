// The cases of cel-spec, read from beside the repository when they are there.

#include <catch2/catch_test_macros.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "cel/compare.h"
#include "cel/evaluate.h"
#include "cel/program.h"
#include "file_text.h"
#include "folders.h"
#include "unit/cel/evaluated.h"
#include "unit/cel/textproto.h"

using namespace trainyard;
using trainyard::testing::parse_textproto;
using trainyard::testing::ProtoField;
using trainyard::testing::ProtoMessage;
using trainyard::testing::read_file;
using trainyard::testing::shown;
namespace fs = std::filesystem;

namespace {

const trainyard::testing::Suite kSuite = trainyard::testing::public_suite("cel-spec");

template <class T>
T number(const std::string& text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double double_of(const std::string& text) {
  if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return number<double>(text);
}

std::optional<cel::Value> value_of(const ProtoMessage& message, cel::Heap& heap);

std::optional<cel::Value> list_of(const ProtoMessage& message, cel::Heap& heap) {
  std::vector<cel::Value> items;
  for (const ProtoField& field : message.fields) {
    const auto item = value_of(field.message, heap);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return heap.list(items);
}

std::optional<cel::Value> map_of(const ProtoMessage& message, cel::Heap& heap) {
  std::vector<cel::Entry> entries;
  for (const ProtoField& field : message.fields) {
    const auto key = value_of(field.message.message("key"), heap);
    const auto value = value_of(field.message.message("value"), heap);
    if (!key || !value) return std::nullopt;
    entries.push_back({*key, *value});
  }
  return heap.map(entries);
}

/// The two messages that CEL has as types of its own.
std::optional<cel::Value> well_known(const ProtoMessage& any) {
  if (any.fields.empty()) return std::nullopt;
  const ProtoField& field = any.fields[0];
  const auto seconds = number<std::int64_t>(field.message.text("seconds"));
  const auto nanos = number<std::int32_t>(field.message.text("nanos"));
  if (field.name.ends_with("/google.protobuf.Duration]")) {
    return cel::Value::duration(seconds * 1'000'000'000 + nanos);
  }
  if (field.name.ends_with("/google.protobuf.Timestamp]")) {
    return cel::Value::timestamp({seconds, nanos});
  }
  return std::nullopt;
}

/// A value of the suite; nothing when it is a message.
std::optional<cel::Value> value_of(const ProtoMessage& message, cel::Heap& heap) {
  if (message.fields.empty()) return std::nullopt;
  const ProtoField& field = message.fields[0];
  if (field.name == "null_value") return cel::Value::null();
  if (field.name == "bool_value") return cel::Value::boolean(field.text == "true");
  if (field.name == "int64_value") return cel::Value::integer(number<std::int64_t>(field.text));
  if (field.name == "uint64_value") {
    return cel::Value::unsigned_integer(number<std::uint64_t>(field.text));
  }
  if (field.name == "double_value") return cel::Value::number(double_of(field.text));
  if (field.name == "string_value") return heap.string(field.text);
  if (field.name == "bytes_value") return cel::Value::bytes(heap.text(field.text));
  if (field.name == "type_value") return cel::Value::type(heap.text(field.text));
  if (field.name == "list_value") return list_of(field.message, heap);
  if (field.name == "map_value") return map_of(field.message, heap);
  if (field.name == "object_value") return well_known(field.message);
  return std::nullopt;
}

bool is_nan(const cel::Value& value) {
  return value.is(cel::Type::Double) && std::isnan(value.as_double());
}

struct Bindings {
  std::vector<std::string> names;
  std::vector<cel::Value> values;
  bool complete = true;
};

Bindings bindings_of(const ProtoMessage& test, cel::Heap& heap) {
  Bindings result;
  for (const ProtoField& field : test.fields) {
    if (field.name != "bindings") continue;
    const auto value = value_of(field.message.message("value").message("value"), heap);
    if (!value) result.complete = false;
    result.names.push_back(field.message.text("key"));
    result.values.push_back(value.value_or(cel::Value()));
  }
  return result;
}

/// What is wrong with our answer; nothing when it is right.
std::string complaint(const ProtoMessage& test) {
  cel::Context context;
  context.set_budget(1'000'000);
  const Bindings bindings = bindings_of(test, context.heap);
  if (!bindings.complete) return "a variable is a message";
  const std::vector<std::string_view> names(bindings.names.begin(), bindings.names.end());
  const cel::Compiled compiled = cel::compile(test.text("expr"), names);
  const bool wants_error = test.find("eval_error") != nullptr;
  if (!compiled.program) return wants_error ? "" : "does not compile: " + compiled.error.message;
  if (test.text("check_only") == "true") return "";
  const cel::Value result = cel::evaluate(*compiled.program, bindings.values, context);
  if (wants_error) return result.is_error() ? "" : "no error but " + shown(result);
  const ProtoMessage& expected = test.find("typed_result") != nullptr
                                     ? test.message("typed_result").message("result")
                                     : test.message("value");
  const auto wanted = expected.fields.empty() ? std::optional(cel::Value::boolean(true))
                                              : value_of(expected, context.heap);
  if (!wanted) return "the result is a message";
  const bool same = result.type() == wanted->type() &&
                    (equal(result, *wanted) || (is_nan(result) && is_nan(*wanted)));
  return same ? "" : shown(result) + " and not " + shown(*wanted);
}

/// `file/section/test: reason`; a name that ends in `*` stands for all that begin like it.
std::map<std::string, std::string> exceptions() {
  std::map<std::string, std::string> result;
  std::ifstream in(testing::repository() / "tests/unit/cel/conformance_exceptions.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    REQUIRE(colon != line.npos);
    INFO(line);
    REQUIRE(line.size() > colon + 2);
    result[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return result;
}

std::string excuse_of(const std::map<std::string, std::string>& listed, const std::string& id) {
  for (const auto& [name, reason] : listed) {
    if (name == id) return name;
    if (name.ends_with('*') && id.starts_with(name.substr(0, name.size() - 1))) return name;
  }
  return "";
}

}  // namespace

TEST_CASE("every case of cel-spec evaluates as it says or is listed with a reason") {
  if (!kSuite.missing.empty()) SKIP(kSuite.missing);
  const auto listed = exceptions();
  std::set<std::string> used;
  std::size_t passed = 0;
  std::size_t left_out = 0;
  for (const auto& entry : fs::directory_iterator(kSuite.folder / "tests/simple/testdata")) {
    if (entry.path().extension() != ".textproto") continue;
    const ProtoMessage file = parse_textproto(read_file(entry.path()));
    for (const ProtoField& section : file.fields) {
      if (section.name != "section") continue;
      for (const ProtoField& test : section.message.fields) {
        if (test.name != "test") continue;
        const std::string id = entry.path().stem().string() + "/" + section.message.text("name") +
                               "/" + test.message.text("name");
        const std::string wrong = complaint(test.message);
        if (wrong.empty()) {
          ++passed;
          continue;
        }
        const std::string excuse = excuse_of(listed, id);
        INFO(id << ": `" << test.message.text("expr") << "` is " << wrong);
        CHECK_FALSE(excuse.empty());
        used.insert(excuse);
        ++left_out;
      }
    }
  }
  for (const auto& [name, reason] : listed) {
    INFO("a stale entry: " << name);
    CHECK(used.contains(name));
  }
  CHECK(passed > 1200);
  UNSCOPED_INFO(passed << " passed, " << left_out << " left out");
  SUCCEED();
}
