#include "emit/ownership.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "emit/artifact.h"

using namespace trainyard;

namespace {

std::string sealed(const std::string& source, const std::string& rest) {
  std::string text = owned_beginning(source) + rest;
  seal(text);
  return text;
}

}  // namespace

TEST_CASE("a text without a whole record is not recorded") {
  CHECK(owner_of("").mark == Owner::Mark::None);
  CHECK(owner_of("kind: Job\n").mark == Owner::Mark::None);
  CHECK(owner_of("\n" + sealed("a", "b")).mark == Owner::Mark::None);
  const std::string header(kHeader);
  for (const std::string rest :
       {"", "kind: Job\n", "# trainyard: source=a\n", "# trainyard: source= sha256=12\n",
        "# trainyard: source=a sha256=", "# trainyard: sha256=a source=b"}) {
    INFO(rest);
    CHECK(owner_of(header + rest).mark == Owner::Mark::Header);
    CHECK_FALSE(owner_of(header + rest).intact);
  }
}

TEST_CASE("any change of a text but in its line breaks shows") {
  const std::string text = sealed("../a.yaml", "kind: Job\nmetadata: {}\n");
  CHECK(owner_of(text).intact);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    const Owner owner = owner_of(changed);
    INFO(changed);
    CHECK((owner.mark != Owner::Mark::Recorded || !owner.intact || owner.source != "../a.yaml"));
  }
  CHECK_FALSE(owner_of(text + "\n").intact);
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(owner_of(windows).intact);
  CHECK(owner_of(windows).source == "../a.yaml");
  CHECK(with_plain_breaks(windows) == text);
}

TEST_CASE("a record tells the fleet from the source, whatever their names are") {
  for (const std::string fleet : {"ml", "a b", "source=x", "x sha256=1"}) {
    std::string text = owned_beginning("../a b.yaml", fleet) + "kind: Job\n";
    seal(text);
    CHECK(owner_of(text).fleet == fleet);
    CHECK(owner_of(text).source == "../a b.yaml");
    CHECK(owner_of(text).intact);
    CHECK(without_record(text) == std::string(kHeader) + "kind: Job\n");
  }
  CHECK(owner_of(sealed("../a.yaml", "")).fleet.empty());
}

TEST_CASE("a source of any bytes is read back, from one line of plain text") {
  for (const std::string& source :
       {std::string("-"), std::string("../a b/c.yaml"), std::string("x sha256=1"),
        std::string("100%25/%"), std::string("\xC3\xBC/\xE2\x80\xA8\n\r\x01\x7F"),
        std::string("a\0b", 3)}) {
    const std::string text = sealed(source, "kind: Job\n");
    CHECK(owner_of(text).source == source);
    CHECK(owner_of(text).intact);
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(without_record(text) == std::string(kHeader) + "kind: Job\n");
  }
}

TEST_CASE("a mark of an unmerged file is found until a run replaces it, and counts as no edit") {
  std::string text = sealed("a.yaml", "kind: Job\n");
  CHECK(unmerged_mark(text).empty());
  CHECK(unmerged_mark(std::string(kHeader)).empty());
  mark_unmerged(text);
  const std::string once = text;
  mark_unmerged(text);
  CHECK(text == once);
  CHECK(unmerged_mark(text).starts_with("# trainyard: unmerged"));
  CHECK(owner_of(text).intact);
  CHECK(owner_of(text).source == "a.yaml");
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(unmerged_mark(windows) == unmerged_mark(text));
}
