// Scripts are read as bash and dash read them.
#include "shell/script.h"

#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "growth.h"

using namespace trainyard;

namespace {

/// The simple commands: `[word][word]`, with `*` behind one that expands, and what joins them.
std::string commands(std::string_view text) {
  const Script script = read_script(text);
  std::string all;
  for (const ScriptCommand& each : script.commands) {
    if (!each.is_simple()) continue;
    if (!all.empty()) all += ' ';
    if (each.is_output) all += '$';
    if (each.may_be_left_out) all += '?';
    for (const ScriptWord& word : each.words) {
      all += "[" + word.text + "]" + (word.expands() ? "*" : "");
    }
    for (const Redirection& at : each.redirections) {
      all += std::string(at.mark) + at.word.text;
    }
    constexpr std::string_view kJoints = ";&|+-";
    all += kJoints[static_cast<std::size_t>(each.behind)];
  }
  return all;
}

/// What a program is given by each line that calls `argv`; nothing where there is no such shell.
std::optional<std::string> words_of_program(std::string_view shell, std::string_view script) {
  char name[] = "/tmp/trainyard-words-XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(file >= 0);
  close(file);
  std::ofstream(name) << "argv() { for word; do printf '<%s>' \"$word\"; done; echo; }\n" << script;
  const std::string out = std::string(name) + ".out";
  const std::string call = std::string(shell) + " " + name + " > " + out + " 2>/dev/null";
  const bool has_run = std::system(call.c_str()) == 0;
  std::ifstream given(out);
  std::string text{std::istreambuf_iterator<char>(given), {}};
  std::remove(name);
  std::remove(out.c_str());
  return has_run ? std::optional(text) : std::nullopt;
}

std::string many(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("what joins the commands of a script is known of each") {
  CHECK(commands("") == "");
  CHECK(commands("a; b && c || d | e & f\ng") == "[a]; [b]+ [c]- [d]| [e]& [f]; [g];");
  CHECK(commands("a |& b &> c 2>&1 >>d") == "[a]| [b]&>c>&1>>d;");
}

TEST_CASE("quotes go away, and what the shell puts in stays as it is written") {
  CHECK(commands("a 'b c'\"d $E\"f\\ g") == "[a][b cd $Ef g]*;");
  CHECK(commands("a \\\n  b\\\nc # d\ne") == "[a][bc]; [e];");
  CHECK(commands("a \"${B:-\"c d\"}\" $((1 + (2))) $'x\\ty'") ==
        "[a][${B:-\"c d\"}]*[$((1 + (2)))]*[x\ty];");
  CHECK(commands("$$(a) $$B") == "[$$(a)]*[$$B]*; $[a];");
}

TEST_CASE("commands whose output is taken are distinguished from those that run for themselves") {
  CHECK(commands("a $(b \"$(c)\" | d) `e`") ==
        "[a][$(b \"$(c)\" | d)]*[`e`]*; $[b][$(c)]*| $[c]; $[d]; $[e];");
  CHECK(commands("diff <(a) >(b)") == "[diff][<(a)]*[>(b)]*; $[a]; $[b];");
}

TEST_CASE("commands of branches and functions may be left out, and those of loops and groups not") {
  CHECK(commands("if a; then b; elif c; then d; else e; fi; f") ==
        "[a]; ?[b]; ?[c]; ?[d]; ?[e]; [f];");
  CHECK(commands("for i in 1 2; do a; done; while b; do c; done") == "[a]; [b]; [c];");
  CHECK(commands("case $x in a|b) c;; (d) e;; esac; { f; }; (g)") == "?[c]; ?[e]; [f]; [g];");
  CHECK(commands("f() { a; }; function g { b; }; f") == "?[a]; ?[b]; [f];");
}

TEST_CASE("the text of a here-document is no part of the script") {
  CHECK(commands("cat <<EOF > f; a\nif $X then\nEOF\nb") == "[cat]<<EOF>f; [a]; [b];");
  CHECK(commands("cat <<-'E'\n\t$X\n\tE\nb") == "[cat]<<-E; [b];");
  CHECK(read_script("cat <<E\n$X `a`\nE\n").expansions.size() == 2);
  CHECK(read_script("cat <<'E'\n$X `a`\nE\n").expansions.empty());
  CHECK(commands("cat <<EOF\na") == "[cat]<<EOF;");
}

TEST_CASE("a variable is known by its name and what is done to it") {
  const Script script = read_script("a $A ${B} ${C:-$D} \"${#E}\" $1 ${@} $(F)");
  std::string all;
  for (const Expansion& each : script.expansions) {
    all += std::string(each.name) + (each.change == 0 ? "" : std::string(1, each.change)) + " ";
  }
  CHECK(all == "A B C: D E# 1 @ F ");
  REQUIRE(script.commands[0].words.size() == 8);
  CHECK(script.expansions_of(script.commands[0].words[3]).size() == 1);
}

TEST_CASE("a list of words is one word, and starts nothing") {
  CHECK(commands("A=(--b 'c' # d\n e) f \"${A[@]}\"") == "[A=(--b 'c' # d\n e)][f][${A[@]}]*;");
  CHECK(read_script("A=(b) f").commands[0].words[0].is_list);
}

TEST_CASE("a text that is no script is read to its end") {
  CHECK(commands("import os; print(os.sep); a(b") == "[import][os]; [print(os.sep)]; [a(b];");
  CHECK(commands("fi; a ) b; done c") == "[a]; [b]; [c];");
  CHECK(commands("a 'b; c") == "[a][b; c];");
  CHECK(commands("a $(b; c") == "[a][$(b; c]*; $[b]; $[c];");
}

TEST_CASE("a program gets the words that are read here, from bash and from dash") {
  constexpr auto pieces = std::to_array<std::string_view>(
      {"a",          "--b=c",  "'d e'", "\"f g\"", R"("h\"i\\j\k")", "l\\ m", "\\\n", "''",
       "n#o",        "'$p'",   "\\$q",  "\"'\"",   "\"\\$r\"",       "%",     "=",    "@",
       "\"s\\\nt\"", "'u\nv'", "\\'",   "\\\""});
  constexpr auto joints =
      std::to_array<std::string_view>({"\n", "; ", " && ", " # c 'd\n", "\t;\n"});
  std::mt19937 random(7);
  std::string script;
  for (int line = 0; line < 300; ++line) {
    script += "argv";
    for (auto words = random() % 5; words > 0; --words) {
      script += ' ';
      for (auto left = 1 + random() % 4; left > 0; --left)
        script += pieces[random() % pieces.size()];
    }
    script += joints[random() % joints.size()];
  }
  script += "argv last\n";
  std::string read;
  const Script found = read_script(script);
  CHECK(!found.fault);
  for (const ScriptCommand& each : found.commands) {
    for (std::size_t i = 1; i < each.words.size(); ++i) read += "<" + each.words[i].text + ">";
    read += '\n';
  }
  for (const std::string_view shell : {"bash", "dash"}) {
    const auto given = words_of_program(shell, script);
    if (given) CHECK(read == *given);
  }
}

TEST_CASE("deep blocks are no fault, and are read without end") {
  for (const std::string_view open : {"(", "{ ", "$(", "${a:-", "if a; then ", "case a in b) ",
                                      "f() ", "a=(", "$((", "\"$(", "<(", "`", "((", "! ( "}) {
    CAPTURE(open);
    CHECK(read_script(many(open, 100'000)).text.size() >= 100'000);
  }
  const auto nested = [](std::size_t depth) {
    return read_script(many("(", depth) + "a" + many(" )", depth)).fault.has_value();
  };
  CHECK_FALSE(nested(20));
  CHECK_FALSE(nested(5000));
}

TEST_CASE("the time of a script grows with its length") {
  for (const std::string_view part :
       {"$(",          "'a' \"b\" ", "cat <<E\n", "cat <<E1\nE\n", "((",  "$((1 ", "${a ",  "a; ",
        "if a; then ", "`",          "\"",        "\"$(",          "a=(", "(",     "f()\n", ";;",
        "a(",          "((a) b) ",   "$(a) ",     "\\\n",          "#\n"}) {
    CAPTURE(part);
    // Small enough for the cache: other work on the machine must not look like growth.
    const double found = testing::growth(5'000, [&](std::size_t amount) {
      const std::string text = many(part, amount);
      static_cast<void>(read_script(text));
    });
    CHECK(found < testing::kMostGrowth);
  }
}
