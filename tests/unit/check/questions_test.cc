// Of an object that differs from one before it in a few texts, only the checks are asked that
// looked at these. It makes no difference: whatever text of any object in the golden output and in
// the cases of the checks is replaced by another, what is said is what all checks say.
#include "check/questions.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/deferred_checks.h"
#include "driver/session/all_checks.h"
#include "file_text.h"
#include "folders.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace fs = std::filesystem;

namespace {

/// Objects that belong together, in one tree as those of a build are.
struct Objects {
  Tree tree;
  std::vector<NodeId> roots;
};

struct Corpus {
  SourceMap sources;
  std::vector<Objects> sets;
  /// What stands at a key somewhere, by key and kind, so that texts can be replaced by likely ones.
  std::map<std::pair<std::string, Kind>, std::vector<std::string>> texts;
};

void note_texts(const Tree& tree, Corpus& corpus) {
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree[id];
    if (!node.is_scalar()) continue;
    std::vector<std::string>& known = corpus.texts[{std::string(node.key), node.kind}];
    const std::string text(node.text);
    if (known.size() < 40 && std::ranges::find(known, text) == known.end()) known.push_back(text);
  }
}

bool is_object(View root) {
  return root && root->is_map() && !string_at(root, "apiVersion").empty() &&
         !string_at(root, "kind").empty();
}

void read_golden_output(Corpus& corpus) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(repository() / "golden")) {
    if (fs::exists(entry.path() / "stdout")) paths.push_back(entry.path() / "stdout");
  }
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    const std::string text = read_file(path);
    if (text.find("\napiVersion: ") == std::string::npos) continue;
    Sink sink;
    Objects objects;
    for (const Tree& each : read_yaml(corpus.sources, corpus.sources.add(path.string(), text), sink,
                                      {}, Ambiguity::Kubernetes)) {
      if (!is_object(View(each, each.root()))) continue;
      objects.roots.push_back(objects.tree.copy(each, each.root()));
    }
    if (sink.has_errors() || objects.roots.empty()) continue;
    note_texts(objects.tree, corpus);
    corpus.sets.push_back(std::move(objects));
  }
}

/// An item of the cases, as the object that it is or is in.
void add_case(View item, std::string_view file, Corpus& corpus) {
  const View object = item["object"] ? item["object"] : item;
  if (!object->is_map()) return;
  Objects objects;
  Tree& tree = objects.tree;
  NodeId root = tree.copy(object.tree(), object.id());
  const auto wrap = [&](std::string_view key, std::string_view version, std::string_view kind) {
    const NodeId outer = tree.add_map();
    tree.append(outer, "apiVersion", tree.add_string(version));
    tree.append(outer, "kind", tree.add_string(kind));
    tree.append(outer, key, root);
    root = outer;
  };
  if (file == "pod_cases.yaml") {
    if (tree.find(root, "metadata") == kNoNode) {
      const NodeId holder = tree.add_map();
      tree.append(holder, "spec", root);
      root = holder;
    }
    wrap("template", "v1", "PodTemplate");
  } else if (file == "job_cases.yaml") {
    wrap("spec", "batch/v1", "Job");
  }
  if (!is_object(View(tree, root))) return;
  objects.roots.push_back(root);
  for (View with : items_at(item, "with")) {
    if (is_object(with)) objects.roots.push_back(tree.copy(with.tree(), with.id()));
  }
  note_texts(tree, corpus);
  corpus.sets.push_back(std::move(objects));
}

void read_cases(Corpus& corpus) {
  std::vector<fs::path> paths;
  for (const char* folder : {"admission", "operators", "lints"}) {
    for (const auto& entry : fs::directory_iterator(repository() / "tests/unit" / folder)) {
      if (entry.path().filename().string().ends_with("_cases.yaml")) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    Sink sink;
    const FileId id = corpus.sources.add(path.string(), read_file(path));
    for (const Tree& each : read_yaml(corpus.sources, id, sink, {}, Ambiguity::Kubernetes)) {
      const View one(each, each.root());
      for (std::string_view key : {"refused", "accepted"}) {
        for (View item : items_at(one, key)) add_case(item, path.filename().string(), corpus);
      }
    }
  }
}

using Said = std::vector<std::string>;

Said said(const Sink& sink) {
  Said all;
  for (const Diagnostic& each : sink.all()) {
    std::string line = std::string(info(each.kind).name) + " " + each.path + ": " + each.message;
    for (const Label& label : each.labels) line += " / " + label.text;
    for (const std::string& note : each.notes) line += " / " + note;
    all.push_back(std::move(line));
  }
  return all;
}

/// Compares the checks that are due with all of them.
class Trial {
 public:
  explicit Trial(Corpus& corpus) : corpus_(corpus), selection_(Versions{}, all_checks()) {}

  /// Replaces about `most` texts of a set, one after the other and some together.
  void try_set(Objects& objects, std::size_t most) {
    std::vector<NodeId> scalars;
    for (NodeId id = 0; id < objects.tree.size(); ++id) {
      if (objects.tree[id].is_scalar() && objects.tree[id].kind != Kind::Null)
        scalars.push_back(id);
    }
    std::ranges::shuffle(scalars, random_);
    if (scalars.size() > most) scalars.resize(most);
    for (const NodeId root : objects.roots) {
      note(objects, root);
      for (std::size_t i = 0; i < scalars.size(); ++i) {
        replace(objects, root, {scalars[i]}, Text::Another);
        if (i % 4 != 0) continue;
        // What was said of the first text must not be taken for what is to be said of both.
        replace(objects, root, {scalars[i], scalars[random_() % scalars.size()]}, Text::AsBefore);
      }
    }
  }

  std::size_t asked_less = 0;  // comparisons in which some check was not asked
  std::size_t in_vain = 0;     // where nothing is known of the object
  std::size_t with_news = 0;   // of the first ones those in which something else is said
  std::size_t remembered = 0;  // questions that an earlier answer has settled

 private:
  /// Whether an inventory has the object as before; see `are_known_alike` in precedents.cc.
  static bool decides_what_is_there(const Objects& objects, NodeId id) {
    return std::ranges::any_of(objects.roots, [&](NodeId each) {
      const View root(objects.tree, each);
      return root["apiVersion"].id() == id || root["kind"].id() == id;
    });
  }

  Surroundings around(const Objects& objects, Inventory& inventory) {
    for (NodeId root : objects.roots) inventory.add(View(objects.tree, root));
    return {selection_.versions(), &inventory, &selection_};
  }

  Said ask(const Objects& objects, NodeId root, const Asked& asked) {
    Inventory inventory;
    const Surroundings surroundings = around(objects, inventory);
    Sink sink;
    CheckContext context(surroundings, sink);
    run_checks(View(objects.tree, root), {}, {}, asked, context);
    return said(sink);
  }

  /// The same without the others around it, which are said to come later.
  Said ask_alone(const Objects& objects, NodeId root, const Asked& asked) {
    Surroundings surroundings{selection_.versions(), nullptr, &selection_};
    Sink sink;
    const std::vector<const Check*> put_off =
        run_checks_alone(View(objects.tree, root), surroundings, asked, sink);
    Said all = said(sink);
    for (const Check* each : put_off) all.emplace_back(each->name);
    return all;
  }

  /// To note what is looked at changes nothing of what is said.
  void note(const Objects& objects, NodeId root) {
    first_ = ask(objects, root, {});
    quiet_ = {};
    const Asked with_notes{&questions_};
    CHECK(ask(objects, root, with_notes) == first_);
    CHECK(view_witness == nullptr);
    const Said alone = ask_alone(objects, root, {});
    const Asked alone_with_notes{&questions_alone_};
    CHECK(ask_alone(objects, root, alone_with_notes) == alone);
  }

  std::string_view other_text(Tree& tree, const Node& node) {
    static constexpr std::string_view kTexts[] = {"",
                                                  "other",
                                                  "Not_A_Name",
                                                  "a.b.c",
                                                  "0x1F",
                                                  "500m",
                                                  "two\nlines\n",
                                                  "x/y",
                                                  "$(MASTER_ADDR)",
                                                  "--nnodes=3",
                                                  "bash",
                                                  "torchrun",
                                                  "registry.example.com/other:2",
                                                  "-1",
                                                  "password123"};
    static constexpr std::string_view kNumbers[] = {"0", "1", "2", "3", "-1", "16", "70000"};
    if (node.kind == Kind::Bool) return node.text == "true" ? "false" : "true";
    const bool number = node.kind == Kind::Int;
    if (!number && node.kind != Kind::String) return node.text;
    // Who has seen only that a text is digits hears no more of other digits.
    if (are_digits(node.text) && random_() % 3 == 0) return kNumbers[random_() % 4];
    const auto known = corpus_.texts.find({std::string(node.key), node.kind});
    if (random_() % 3 != 0 && known != corpus_.texts.end()) {
      return tree.intern(known->second[random_() % known->second.size()]);
    }
    return number ? kNumbers[random_() % std::size(kNumbers)]
                  : kTexts[random_() % std::size(kTexts)];
  }

  enum class Text { Another, AsBefore };

  /// `first` is what the first place gets.
  void replace(Objects& objects, NodeId root, const std::vector<NodeId>& places, Text first) {
    Tree& tree = objects.tree;
    std::vector<Node> before;
    NodeBits different(tree.size());
    std::string what;
    bool fits = true;
    for (NodeId place : places) {
      before.push_back(tree[place]);
      const bool as_before = first == Text::AsBefore && before.size() == 1;
      tree[place].text = as_before ? last_first_ : other_text(tree, tree[place]);
      if (before.size() == 1) last_first_ = tree[place].text;
      different.add(place);
      what += std::string(tree[place].key) + ": `" + std::string(before.back().text) + "` -> `" +
              std::string(tree[place].text) + "` ";
      fits = fits && !decides_what_is_there(objects, place);
    }
    for (NodeId each : objects.roots) {
      fits = fits && !string_at(get(View(tree, each), "metadata"), "name").empty();
    }
    if (fits) {
      INFO(string_at(View(tree, root), "kind") << " with " << what);
      compare(objects, root, different);
      compare_alone(objects, root, different);
    }
    for (std::size_t i = places.size(); i-- > 0;) tree[places[i]].text = before[i].text;
  }

  void compare(const Objects& objects, NodeId root, const NodeBits& different) {
    if (!questions_.find_due(objects.tree, different, due_)) {
      ++in_vain;
      return;
    }
    const Said all = ask(objects, root, {});
    CHECK(ask(objects, root, {nullptr, &questions_, &due_}) == all);
    ask_again(objects, root, different, all);
    std::size_t questions = 0;
    for (const Questions::Group& group : questions_.groups()) questions += group.end - group.begin;
    if (number_of(due_) < questions) ++asked_less;
    if (all != first_) ++with_news;
  }

  std::size_t number_of(const Questions::Due& due) const {
    std::size_t number = 0;
    for (const Questions::Group& group : questions_.groups()) {
      questions_.each_due(due, group, [&number](std::size_t) { ++number; });
    }
    return number;
  }

  /// The answers that others have left make no difference.
  void ask_again(const Objects& objects, NodeId root, const NodeBits& different, const Said& all) {
    constexpr int kBeforeAnew = 40;
    if (++changes_ % kBeforeAnew == 0) quiet_ = {};
    for (int i = 0; i < 3; ++i) {
      Questions::Due open = due_;
      const std::size_t before = number_of(open);
      CHECK(ask(objects, root, {nullptr, &questions_, &open, &quiet_, &different}) == all);
      remembered += before - number_of(open);
    }
  }

  void compare_alone(const Objects& objects, NodeId root, const NodeBits& different) {
    if (!questions_alone_.find_due(objects.tree, different, due_)) return;
    const Asked due{nullptr, &questions_alone_, &due_};
    CHECK(ask_alone(objects, root, due) == ask_alone(objects, root, {}));
  }

  Corpus& corpus_;
  CheckSelection selection_;
  std::mt19937 random_{11};
  Questions questions_;
  Questions questions_alone_;
  Questions::Due due_;
  QuietAnswers quiet_;
  std::size_t changes_ = 0;
  std::string_view last_first_;
  Said first_;
};

}  // namespace

TEST_CASE("of other texts in the golden output, the checks that are due say what all of them say") {
  Corpus corpus;
  read_golden_output(corpus);
  REQUIRE(corpus.sets.size() > 400);
  Trial trial(corpus);
  std::set<std::string> seen;  // all texts of the first ones of a kind, some of the others
  for (Objects& each : corpus.sets) {
    bool is_new = false;
    for (NodeId root : each.roots) {
      is_new = seen.insert(std::string(string_at(View(each.tree, root), "kind"))).second || is_new;
    }
    trial.try_set(each, is_new ? 400 : 8);
  }
  CHECK(trial.asked_less > 5000);
  CHECK(trial.with_news > 1000);
  CHECK(trial.in_vain < trial.asked_less / 10);
  CHECK(trial.remembered > 5000);
}

TEST_CASE("of other texts in the cases, the checks that are due say what all of them say") {
  Corpus corpus;
  read_golden_output(corpus);  // for their texts
  corpus.sets.clear();
  read_cases(corpus);
  REQUIRE(corpus.sets.size() > 800);
  Trial trial(corpus);
  for (Objects& each : corpus.sets) trial.try_set(each, 12);
  CHECK(trial.asked_less > 10'000);
  CHECK(trial.with_news > 3000);
}

namespace {

constexpr std::string_view kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: train, labels: {app: a},\n"
    "  annotations: {trainyard/checks: \"gang-size=off\"}}\nspec:\n"
    "  containers: [{name: main, image: registry.example.com/a:1, args: [x, \"4711\"]}]\n";

/// A pod whose checks were asked, and noted.
struct One {
  SourceMap sources;
  Sink sink;
  Tree tree;
  CheckSelection selection{Versions{}, all_checks()};
  const Inventory none;
  const Surroundings surroundings{selection.versions(), &none, &selection};
  Questions questions;
  View root;
  View container;

  One() {
    tree =
        std::move(read_yaml(sources, sources.add("pod.yaml", std::string(kPod)), sink, {}).front());
    root = View(tree, tree.root());
    container = get(get(root, "spec"), "containers").first();
    CheckContext context(surroundings, sink);
    run_checks(root, {}, {}, Asked{&questions}, context);
  }

  /// The checks that are asked again when the text of a scalar differs.
  std::set<std::string_view> due_for(View scalar) {
    NodeBits different(tree.size());
    different.add(scalar.id());
    Questions::Due due;
    std::set<std::string_view> names;
    REQUIRE(questions.find_due(tree, different, due));
    for (const Questions::Group& group : questions.groups()) {
      questions.each_due(due, group,
                         [&](std::size_t each) { names.insert(questions.check(each).name); });
    }
    return names;
  }
  One(const One&) = delete;
  One& operator=(const One&) = delete;
};

}  // namespace

TEST_CASE("a question whose texts came before is answered, one with a new text is asked") {
  One one;
  const NodeId image = get(one.container, "image").id();
  const NodeId name = get(one.container, "name").id();

  QuietAnswers quiet;
  Questions::Due due;
  /// How many checks were asked of a pod with these texts.
  const auto asked = [&](std::string_view image_text, std::string_view name_text) {
    NodeBits different(one.tree.size());
    one.tree[image].text = image_text;
    one.tree[name].text = name_text;
    if (image_text != "registry.example.com/a:1") different.add(image);
    if (name_text != "main") different.add(name);
    REQUIRE(one.questions.find_due(one.tree, different, due));
    CheckContext again(one.surroundings, one.sink);
    run_checks(one.root, {}, {}, Asked{nullptr, &one.questions, &due, &quiet, &different}, again);
    std::size_t count = 0;
    for (const Questions::Group& group : one.questions.groups()) {
      one.questions.each_due(due, group, [&count](std::size_t) { ++count; });
    }
    return count;
  };
  for (int i = 0; i < 50; ++i) asked("registry.example.com/b:" + std::to_string(i), "main");
  const std::size_t all = asked("registry.example.com/b:2", "main");
  CHECK(all > 2);
  CHECK(asked("registry.example.com/b:2", "main") == all);  // noted, for it comes again
  const std::size_t rest = asked("registry.example.com/b:2", "main");
  CHECK(rest < all);
  CHECK(asked("registry.example.com/c:3", "main") == all);
  CHECK(asked("registry.example.com/b:2", "main") == rest);
  // Those that look at both are asked of a new name.
  const std::size_t both = asked("registry.example.com/b:2", "other");
  CHECK(both > rest);
  one.sink.clear();
  asked("registry.example.com/b:latest", "main");
  asked("registry.example.com/b:latest", "main");
  const std::size_t said = one.sink.all().size();
  asked("registry.example.com/b:latest", "main");
  CHECK(said > 0);
  CHECK(one.sink.all().size() == said / 2 * 3);  // who has something to say is asked always
}

TEST_CASE("a question that looked at a text is asked again when it differs, others are not") {
  One one;
  const auto of_image = one.due_for(get(one.container, "image"));
  CHECK(of_image.contains("mutable-image-tag"));
  CHECK(of_image.contains("container-image"));
  CHECK_FALSE(of_image.contains("container-names"));
  const auto of_name = one.due_for(get(one.container, "name"));
  CHECK(of_name.contains("container-names"));
  CHECK_FALSE(of_name.contains("mutable-image-tag"));
  CHECK_FALSE(one.due_for(get(one.container, "args").first()).contains("container-image"));
}

TEST_CASE("nothing is known of an object with a value of another kind, or with other wishes") {
  One one;
  const NodeId image = get(one.container, "image").id();
  NodeBits different(one.tree.size());
  different.add(image);
  Questions::Due due;
  CHECK(one.questions.find_due(one.tree, different, due));
  NodeBits wishes(one.tree.size());
  wishes.add(get(get(one.root, "metadata"), "annotations").first().id());
  CHECK_FALSE(one.questions.find_due(one.tree, wishes, due));
  one.tree[image].kind = Kind::Int;
  CHECK_FALSE(one.questions.find_due(one.tree, different, due));
  CHECK_FALSE(Questions().find_due(one.tree, different, due));
}

TEST_CASE("a question that has passed over digits is asked again of other texts than digits") {
  One one;
  const View argument = get(one.container, "args").first().next();
  const auto due_for = [&](std::string_view text) {
    one.tree[argument.id()].text = text;
    return one.due_for(argument);
  };
  CHECK_FALSE(due_for("1").contains("command-words"));
  CHECK(due_for("a b").contains("command-words"));
  CHECK_FALSE(due_for("12").contains("command-words"));
}
