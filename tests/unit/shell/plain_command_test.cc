#include "shell/plain_command.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

namespace {

std::string words_of(std::string_view script) {
  const auto words = plain_command(script);
  if (!words) return "none";
  std::string text;
  for (const PlainWord& each : *words) {
    text += "[" + each.text + "]" + (each.expands ? "*" : "");
  }
  return text;
}

}  // namespace

TEST_CASE("a script that is more than one plain command has no words") {
  for (const char* script :
       {"a; b", "a && b", "a | b", "a > f", "a\nb", "A=1 b", "a $(date +%s)", "a `date`", "a *.py",
        "a {1,2}", "a # b", "a ~/x", "a 'b", "a \"b", "", "  ", "a ${X:-1}", "a 'x$Y'", "a \\"}) {
    INFO(script);
    CHECK(words_of(script) == "none");
  }
}

TEST_CASE("quotes, joined lines and exec are taken away from a plain command") {
  CHECK(words_of("exec torchrun \\\n  --nnodes=2 'a b' \"c d\" e\\ f\n") ==
        "[torchrun][--nnodes=2][a b][c d][e f]");
  CHECK(words_of("\n  python3 a.py") == "[python3][a.py]");
  CHECK(words_of("a ''") == "[a][]");
}

TEST_CASE("a word that a variable goes into is marked") {
  CHECK(words_of("a --x=$RANK ${Y} \"$Z\" $(W) b") == "[a][--x=$RANK]*[${Y}]*[$Z]*[$(W)]*[b]");
}

TEST_CASE("the shell sees one dollar of two") {
  CHECK(as_shell_sees("echo $$(date) $HOME $$$$") == "echo $(date) $HOME $$");
}

TEST_CASE("a variable that Kubernetes puts in is distinguished from a command of the shell") {
  CHECK(has_kubernetes_variable("echo $(RANK)"));
  CHECK_FALSE(has_kubernetes_variable("echo $$(RANK)"));
  CHECK_FALSE(has_kubernetes_variable("echo $(date +%s)"));
  CHECK_FALSE(has_kubernetes_variable("echo ${RANK} $RANK"));
}

TEST_CASE("a line of words, quotes and variables is taken apart as Kubernetes would write them") {
  using Words = std::vector<std::string>;
  CHECK(words_of_line("python3 train.py --note 'it'\\''s $5'") ==
        Words{"python3", "train.py", "--note", "it's $5"});
  CHECK(words_of_line("a \"${B}\"c ''") == Words{"a", "$(B)c", ""});
  CHECK(words_of_line("'$(date)' '$$' '$'\"${A}\"") == Words{"$$(date)", "$$$", "$$$(A)"});
  CHECK(words_of_line("\"a b\" c") == Words{"a b", "c"});
  for (const char* more :
       {"a | b", "a $B", "a \"$B\"", "a \"b ${C}\"", "a; b", "'open", "a > b", "echo *"}) {
    CHECK_FALSE(words_of_line(more));
  }
}
