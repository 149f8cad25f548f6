#include "shell/script.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace trainyard;

namespace {

std::string fault(std::string_view script) {
  const auto found = read_script(script).fault;
  return found ? std::string(script.substr(found->begin, found->end - found->begin)) + ": " +
                     found->what
               : "";
}

/// Scripts as people write them.
const std::vector<std::string>& scripts() {
  static const std::vector<std::string> all{
      "set -euo pipefail\nif [ -z \"${RANK:-}\" ]; then\n  export RANK=0\nfi\ntorchrun train.py\n",
      "for i in $(seq 1 3); do\n  nslookup \"$HOST\" && break\n  sleep 5\ndone\n",
      "until getent hosts $MASTER_ADDR; do echo waiting; sleep 2; done; python a.py\n",
      "case \"$1\" in\n  train|run) torchrun a.py ;;\n  (eval) python b.py ;;\n  *) echo no; exit "
      "1 "
      ";;\nesac\n",
      "log() { echo \"[$(date -u)] $*\"; }\nlog start\n( cd /data && ls ) | tee log\n",
      "function prepare {\n  mkdir -p \"$1\"\n}\nprepare /tmp/x\n",
      "cat > ds.json <<EOF\n{\"a\": \"it's\", if then (\nEOF\ntorchrun a.py --config ds.json\n",
      "ARGS=(--lr 0.1 \"--name=$(hostname)\")\ntorchrun a.py \"${ARGS[@]}\" 2>&1 | tee log\n",
      "if [[ \"$A\" =~ ^(x|y)$ && -n $B ]]; then echo yes; elif test -f b; then :; else echo no; "
      "fi\n",
      "while read -r host slots; do\n  ssh -n \"$host\" 'echo ok' || { echo bad; exit 1; }\ndone < "
      "hosts\n",
      "for ((i = 0; i < 4; i++)); do CUDA_VISIBLE_DEVICES=$i python a.py & done\nwait\n",
      "x=$((1 + 2)); ((x++)); echo `date`; trap 'kill $(jobs -p)' EXIT\n",
      "n=$(echo \"a $(echo b) 'c'\" | wc -l)  # don't count\nprintf '%s\\n' \"it's\"\n",
      "for f in *.sh; do\n  case $f in\n    a.sh) continue ;;\n  esac\n  bash \"$f\"\ndone\n",
      "diff <(sort a) <(sort b) > /dev/null && echo same; exec python a.py &> log\n",
      "if ! python a.py; then\n  if [ \"$?\" = 3 ]; then echo three; fi\n  exit 1\nfi\n",
  };
  return all;
}

/// Whether bash would read it.
bool bash_reads(const std::string& script) {
  char name[] = "/tmp/trainyard-syntax-XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(file >= 0);
  close(file);
  std::ofstream(name) << script;
  // Of what is in `[[` it complains without a failure.
  const int status = std::system(("! bash -n " + std::string(name) + " 2>&1 | grep -q .").c_str());
  std::remove(name);
  return status == 0;
}

bool has_bash() {
  return std::system("bash --version >/dev/null 2>&1") == 0;
}

/// The same without one of its words or marks, for each.
std::vector<std::string> damaged(const std::string& script) {
  constexpr std::string_view kMarks = "\"'`;(){}[]<>|&$\n";
  std::vector<std::string> all;
  for (std::size_t i = 0; i < script.size();) {
    std::size_t end = i + 1;
    if (kMarks.find(script[i]) == kMarks.npos) {
      end = std::min(script.find_first_of(" \"'`;(){}[]<>|&$\n", i), script.size());
    }
    if (end == i) end = i + 1;
    all.push_back(script.substr(0, i) + script.substr(end));
    i = end;
  }
  return all;
}

}  // namespace

TEST_CASE("what a shell reads is without fault", "[check]") {
  for (const std::string& script : scripts()) {
    CAPTURE(script);
    CHECK(fault(script) == "");
  }
}

TEST_CASE("a block or a quote that is not closed is reported where it begins", "[check]") {
  CHECK(fault("if true; then\n  a\n") == "if: `if` is never closed: there is no `fi` for it");
  CHECK(fault("if true; than a; fi\n") == "if: `if` is never closed: there is no `then` for it");
  CHECK(fault("for i in 1 2; do a\n") == "for: `for` is never closed: there is no `done` for it");
  CHECK(fault("for i in 1 2 do a; done\n") ==
        "for: `for` is never closed: there is no `do` for it");
  CHECK(fault("case a in\n a) b ;;\n") ==
        "case: `case` is never closed: there is no `esac` for it");
  CHECK(fault("a\nfi\n") == "fi: `fi` belongs to no `if`");
  CHECK(fault("done\n") == "done: `done` belongs to no `for` or `while`");
  CHECK(fault("while a; do if b; then c; done\n") ==
        "if: `if` is never closed: there is no `fi` for it");
  CHECK(fault("f() {\n a\n") == "{: `{` is never closed: there is no `}` for it");
  CHECK(fault("echo \"a\n") == "\": the quote `\"` is never closed");
  CHECK(fault("echo 'it's'\n") == "': the quote `'` is never closed");
  CHECK(fault("a $(b\n") == "$(: `$(` is never closed: there is no `)` for it");
  CHECK(fault("a ${b\n") == "${: `${` is never closed: there is no `}` for it");
  CHECK(fault("if [[ -n $a ]; then b; fi\n") ==
        "[[: `[[` is never closed: there is no `]]` for it");
}

TEST_CASE("substitutions in one another, very deep, are ignored and do not end the program",
          "[check]") {
  for (const char* opening : {"${", "\"${a:-", "\"$(", "$(\"$("}) {
    std::string deep = "a ";
    for (int i = 0; i < 200'000; ++i) deep += opening;
    CAPTURE(opening);
    CHECK(fault(deep) == "");
  }
}

TEST_CASE("what bash reads is never told, and of what it does not most is", "[check]") {
  if (!has_bash()) SKIP("there is no bash to ask");
  int refused = 0;
  int told = 0;
  for (const std::string& script : scripts()) {
    CHECK(bash_reads(script));
    for (const std::string& each : damaged(script)) {
      const std::string what = fault(each);
      if (bash_reads(each)) {
        CAPTURE(each);
        CHECK(what == "");
      } else {
        ++refused;
        told += what.empty() ? 0 : 1;
      }
    }
  }
  CAPTURE(refused, told);
  CHECK(refused > 100);
  CHECK(told * 10 > refused * 6);
}
