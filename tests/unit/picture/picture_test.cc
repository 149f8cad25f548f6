#include <catch2/catch_test_macros.hpp>

#include "picture/box_layout.h"
#include "picture/picture_dot.h"
#include "picture/picture_mermaid.h"
#include "picture/picture_svg.h"
#include "picture/picture_text.h"

namespace trainyard {
namespace {

Picture two_roles() {
  Picture picture{.title = "Job/a: 3 pods", .lines = {"namespace ml"}, .boxes = {}, .arrows = {}};
  picture.boxes.push_back({.title = "queue q", .kind = BoxKind::Queue, .id = "queue", .column = 0});
  for (const std::string name : {"head", "worker"}) {
    Box role{.title = "role " + name, .lines = {"2 pods"}, .id = name};
    for (int i = 0; i < 12; ++i) {
      role.inside.push_back({.title = "pod " + std::to_string(i),
                             .lines = {"ranks 0 to 7", name + "-" + std::to_string(i)},
                             .kind = BoxKind::Pods});
    }
    picture.boxes.push_back(std::move(role));
  }
  picture.boxes.push_back({.title = "claim data",
                           .lines = {"at /data"},
                           .kind = BoxKind::Volume,
                           .id = "v",
                           .column = 2});
  picture.arrows = {{"queue", "head", {}}, {"worker", "head", "finds it"}, {"worker", "v", {}}};
  return picture;
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

void check_inside(const BoxLayout& layout, const Box& box) {
  const Rect& outer = layout.of(box);
  for (const Box& each : box.inside) {
    const Rect& inner = layout.of(each);
    CHECK(inner.x > outer.x);
    CHECK(inner.y > outer.y);
    CHECK(inner.right() < outer.right());
    CHECK(inner.bottom() < outer.bottom());
    check_inside(layout, each);
  }
}

void check_apart(const BoxLayout& layout, const std::vector<Box>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      INFO(boxes[i].title << " and " << boxes[j].title);
      CHECK_FALSE(overlap(layout.of(boxes[i]), layout.of(boxes[j])));
    }
    check_apart(layout, boxes[i].inside);
  }
}

Picture hostile() {
  Picture picture{.title = R"(a "b" <c> & 'd')", .lines = {}, .boxes = {}, .arrows = {}};
  picture.boxes.push_back(
      {.title = R"(x"]; click <script> \ #)", .lines = {"`y` | {z}"}, .id = "1"});
  picture.boxes.push_back({.title = "end", .id = "2"});
  picture.arrows = {{"1", "2", R"(|"quoted"|)"}, {"1", "nowhere", {}}};
  return picture;
}

}  // namespace

TEST_CASE("boxes stand apart, within the box that they are in, and within the picture") {
  const Picture picture = two_roles();
  const BoxLayout layout(picture);
  check_apart(layout, picture.boxes);
  for (const Box& each : picture.boxes) {
    check_inside(layout, each);
    CHECK(layout.of(each).right() <= layout.width());
    CHECK(layout.of(each).bottom() <= layout.height());
    CHECK(layout.of(each).y >= BoxLayout::top_of(picture));
  }
}

TEST_CASE("a title is no wider than its box, also with letters of several bytes") {
  Picture picture;
  picture.boxes.push_back({.title = "größenänderung 四十二"});
  const BoxLayout layout(picture);
  CHECK(text_width(picture.boxes[0].title) == 18);
  CHECK(layout.of(picture.boxes[0]).width >= 18 * 8);
}

TEST_CASE("text names the sources of arrows without a label at their target") {
  const std::string text = picture_text(two_roles());
  CHECK(text.find("  role head <- queue q\n") != text.npos);
  CHECK(text.find("  claim data: at /data <- role worker\n") != text.npos);
  CHECK(text.find("  role worker -> role head: finds it\n") != text.npos);
}

TEST_CASE("texts of users end no string and open no tag") {
  const std::string svg = picture_svg(hostile());
  CHECK(svg.find("<script") == svg.npos);
  CHECK(svg.find("&lt;script&gt;") != svg.npos);
  CHECK(svg.find("a &quot;b&quot; &lt;c&gt; &amp; 'd'") != svg.npos);
  const std::string mermaid = picture_mermaid(hostile());
  CHECK(mermaid.find("x#quot;]; click #lt;script#gt;") != mermaid.npos);
  CHECK(mermaid.find("title: 'a \"b\" <c> & ''d'''") != mermaid.npos);
  const std::string dot = picture_dot(hostile());
  CHECK(dot.find(R"(label="x\"]; click <script> \\ #\l)") != dot.npos);
}

TEST_CASE("an arrow to a box that is not there is left out") {
  for (const std::string& text :
       {picture_svg(hostile()), picture_mermaid(hostile()), picture_dot(hostile())}) {
    CHECK(text.find("nowhere") == text.npos);
  }
}

TEST_CASE("the SVG says in words what it shows") {
  const std::string svg = picture_svg(two_roles());
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""));
  CHECK(svg.find("<title id=\"title\">Job/a: 3 pods</title>") != svg.npos);
  CHECK(svg.find("role head &lt;- queue q") != svg.npos);
}

}  // namespace trainyard
