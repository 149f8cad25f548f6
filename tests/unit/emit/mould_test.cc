// Objects of one form are written from each other's text.
#include "emit/mould.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/artifact.h"
#include "emit/field_order.h"

using namespace trainyard;

namespace {

struct Values {
  std::string_view name = "train";
  std::string_view cpu = "500m";
  std::string_view script = "one line";
  std::string_view kind = "Pod";
  Kind type = Kind::String;
  bool more = false;
};

/// An object with fields in the wrong order and a quantity.
void fill(ObjectSet& objects, const Values& values) {
  objects.clear();
  Tree& tree = objects.tree;
  const NodeId root = tree.add_map();
  const NodeId spec = tree.add_map();
  const NodeId containers = tree.add_seq();
  const NodeId container = tree.add_map();
  tree.append(containers, container);
  const NodeId resources = tree.add_map();
  const NodeId requests = tree.add_map();
  tree.append(requests, "memory", tree.add_string("1024Mi"));
  tree.append(requests, "cpu", tree.add(values.type, values.cpu));
  tree.append(resources, "requests", requests);
  tree.append(container, "resources", resources);
  const NodeId args = tree.add_seq();
  tree.append(args, tree.add_string("-c"));
  tree.append(args, tree.add_string(values.script));
  if (values.more) tree.append(args, tree.add_string("more"));
  tree.append(container, "args", args);
  tree.append(container, "name", tree.add_string("main"));
  tree.append(spec, "containers", containers);
  tree.append(root, "spec", spec);
  const NodeId metadata = tree.add_map();
  tree.append(metadata, "name", tree.add_string(values.name));
  tree.append(root, "metadata", metadata);
  tree.append(root, "kind", tree.add_string(values.kind));
  tree.append(root, "apiVersion", tree.add_string("v1"));
  objects.add(root);
}

std::string directly(const Values& values) {
  ObjectSet objects;
  fill(objects, values);
  into_written_form(objects.tree, objects.objects.front().root);
  std::string text;
  write_objects(objects, text);
  return text;
}

std::string part_of(const MouldedText& text, std::size_t part) {
  std::string result(text.size(part), '?');
  CHECK(text.write(part, result.data()) == result.data() + result.size());
  return result;
}

struct Shop {
  Mould mould;
  ObjectSet objects;
  MouldedText late;                     // all texts, a part each
  std::vector<std::string> late_texts;  // what they are to be

  std::string text(const Values& values) {
    fill(objects, values);
    mould.into_written_form(objects);
    std::string text = "before\n";
    mould.write(objects, text);
    REQUIRE(text.starts_with("before\n"));
    mould.write(objects, late);
    late_texts.push_back(text.substr(7));
    return late_texts.back();
  }
  bool is_known() const { return mould.form() != 0 && !mould.is_first(); }
};

}  // namespace

TEST_CASE("a form is learnt when it comes again, and then known") {
  Shop shop;
  CHECK(shop.text({}) == directly({}));
  CHECK(shop.mould.form() == 0);
  CHECK(shop.text({}) == directly({}));
  CHECK(shop.mould.is_first());
  CHECK(shop.text({}) == directly({}));
  CHECK(shop.is_known());
}

TEST_CASE("texts of scalars may differ") {
  Shop shop;
  for (int i = 0; i < 2; ++i) shop.text({});
  const Values all[] = {
      {.name = "other"},
      {.name = ""},
      {.name = "yes"},
      {.name = "a: b"},
      {.cpu = "0.5"},
      {.cpu = "1"},
      {.cpu = "no quantity"},
      {.script = "two\nlines"},
      {.script = "two\nlines\n"},
      {.script = "lines and empty ones\n\n\n"},
      {.script = "\n  indented\n"},
      {.name = "x", .cpu = "2000m", .script = "\t"},
      {},
  };
  for (const Values& values : all) {
    INFO(values.name << " " << values.cpu << " " << values.script);
    CHECK(shop.text(values) == directly(values));
    CHECK(shop.is_known());
  }
}

TEST_CASE("what differs in more than the texts of scalars is another form") {
  Shop shop;
  for (int i = 0; i < 2; ++i) shop.text({});
  const Values all[] = {
      {.kind = "Job"},  // which decides how fields are ordered
      {.cpu = "2", .type = Kind::Int},
      {.more = true},
  };
  for (const Values& values : all) {
    CHECK(shop.text(values) == directly(values));
    CHECK(!shop.is_known());
  }
  CHECK(shop.text({}) == directly({}));
  CHECK(shop.is_known());
}

TEST_CASE("a form that was forgotten is learnt anew") {
  Shop shop;
  const auto keyed = [&](int number) {
    fill(shop.objects, {});
    Tree& tree = shop.objects.tree;
    const std::string key = "field" + std::to_string(number);
    const NodeId spec = tree.find(shop.objects.objects.front().root, "spec");
    tree.append(spec, tree.intern(key), tree.add_string("value"));
    shop.mould.into_written_form(shop.objects);
    std::string text;
    shop.mould.write(shop.objects, text);
    return text;
  };
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < 40; ++number) {
      const std::string key = "field" + std::to_string(number);
      for (int again = 0; again < 3; ++again) {
        const std::string text = keyed(number);
        CHECK(text.find(key + ": value") != std::string::npos);
        if (again == 2) CHECK(shop.is_known());
      }
    }
  }
}

TEST_CASE("the open nodes are those that differ and what they are in") {
  Shop shop;
  for (int i = 0; i < 2; ++i) shop.text({});
  shop.text({.name = "other"});
  const Tree& tree = shop.objects.tree;
  const NodeId root = shop.objects.objects.front().root;
  const NodeId metadata = tree.find(root, "metadata");
  const NodeBits& open = shop.mould.open();
  CHECK(open.has(root));
  CHECK(open.has(metadata));
  CHECK(open.has(tree.find(metadata, "name")));
  CHECK(!open.has(tree.find(root, "spec")));
  CHECK(!open.has(tree.find(root, "kind")));
}

TEST_CASE("parts that are put together late are as they were, whatever became of their form") {
  MouldedText all;
  all.add("in front\n");
  std::vector<std::string> wanted{"in front\n"};
  {
    Shop shop;
    for (const Values& values : {Values{}, Values{}, Values{.name = "other", .script = "a\nb"},
                                 Values{.name = "a name that is longer than that of the form"},
                                 Values{.more = true}, Values{.name = ""}, Values{}}) {
      shop.text(values);
    }
    REQUIRE(shop.is_known());
    all.add(std::move(shop.late));
    wanted.insert(wanted.end(), shop.late_texts.begin(), shop.late_texts.end());
  }
  all.add("");
  wanted.emplace_back();
  REQUIRE(all.parts() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(part_of(all, i) == wanted[i]);
}
