# Shared by the scripts beside it; source it, do not run it.
# shellcheck shell=bash

self=$(readlink -f -- "$0")
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/trainyard
# Collected upstream files: definitions of APIs in crds/ and openapi/, public test suites in suites/.
export TRAINYARD_SHARED=${TRAINYARD_SHARED:-$cache/shared}
users_locale=${LC_ALL-}
export LC_ALL=C.UTF-8
cd -- "$root" || exit 1

say() { printf '%s\n' "== $*" >&2; }
note() { printf '%s\n' "   $*" >&2; }
die() { printf '%s\n' "${0##*/}: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# Prints what leads the file as its usage: the comment block below the #! line.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$self"; }

# How many jobs to run at once; TRAINYARD_JOBS overrides.
jobs_count() { printf '%s' "${TRAINYARD_JOBS:-$(nproc 2>/dev/null || echo 2)}"; }

# The first of `name-19 name-20 ... name` that exists.
find_llvm() {
  local version
  for version in 19 20 21 18 17 16; do
    if have "$1-$version"; then printf '%s' "$1-$version"; return 0; fi
  done
  if have "$1"; then printf '%s' "$1"; return 0; fi
  return 1
}

# Prints a clang++ that makes libFuzzer programs. False, saying why, where there is none.
find_fuzzing_compiler() {
  local compiler
  compiler=$(find_llvm clang++) || { note "clang++ is not installed"; return 1; }
  if ! printf 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$compiler" -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null; then
    note "$compiler has no libFuzzer runtime (libclang-rt-*-dev)"
    return 1
  fi
  printf '%s' "$compiler"
}

# Without it what a sanitizer of clang finds shows addresses instead of functions.
use_llvm_symbolizer() {
  local symbolizer
  if symbolizer=$(find_llvm llvm-symbolizer); then
    ASAN_SYMBOLIZER_PATH=$(command -v "$symbolizer")
    export ASAN_SYMBOLIZER_PATH
  fi
}

find_go() {
  if have go; then command -v go
  elif [ -x /usr/local/go/bin/go ]; then printf '%s' /usr/local/go/bin/go
  else return 1; fi
}

# When the commit was made, in seconds: the time of what is built from it.
commit_time() { git log -1 --format=%ct 2>/dev/null || die "no git checkout here: set SOURCE_DATE_EPOCH"; }

cached_entry() { sed -n "s/^$2:[^=]*=//p" "build/$1/CMakeCache.txt" 2>/dev/null | head -n 1; }

program_file() { readlink -f -- "$(command -v -- "$1" || printf '/no/%s' "$1")"; }

# A build directory that another checkout, generator or compiler has left cannot be reused.
is_stale() {
  local preset=$1 compiler=$2 home generator cached
  [ -e "build/$preset" ] || return 1
  [ -f "build/$preset/CMakeCache.txt" ] || return 0
  home=$(cached_entry "$preset" CMAKE_HOME_DIRECTORY)
  generator=$(cached_entry "$preset" CMAKE_GENERATOR)
  cached=$(cached_entry "$preset" CMAKE_CXX_COMPILER)
  [ "$home" = "$root" ] && [ "$generator" = Ninja ] || return 0
  [ "$(program_file "$cached")" = "$(program_file "$compiler")" ] || return 0
  [ -f "build/$preset/build.ninja" ] || return 0
  return 1
}

# configure_preset PRESET [CMAKE ARGUMENTS]; `compiler` names another compiler than the default.
configure_preset() {
  local preset=$1 compiler=${compiler:-${CXX:-c++}}
  shift
  if is_stale "$preset" "$compiler"; then
    note "build/$preset belongs to another checkout, generator or compiler: starting it afresh"
    rm -rf "build/$preset"
  fi
  if [ -e "build/$preset/CMakeCache.txt" ]; then
    cmake --preset "$preset" "$@" >/dev/null 2>&1 && return 0
    rm -rf "build/$preset"
  fi
  cmake --preset "$preset" "-DCMAKE_CXX_COMPILER=$(command -v "$compiler")" "$@" >/dev/null
}

# build_preset PRESET [NINJA ARGUMENTS]. A failure that smells of old files, not of our code, is
# tried once more from nothing; another one is reported with the command that repeats it.
build_preset() {
  local preset=$1 log status=0
  shift
  log=$(mktemp)
  build_once "$preset" "$@" 2>&1 | tee "$log" | show_progress ninja || status=1
  if [ $status -ne 0 ] &&
    grep -qE '^ninja: error|^CMake Error|fatal error: .*No such file|file format not recognized' "$log"; then
    note "the build of $preset failed on files of an earlier one: once more from nothing"
    rm -rf "build/$preset"
    status=0
    configure_preset "$preset" && build_once "$preset" "$@" >&2 || status=1
  fi
  rm -f "$log"
  [ $status -eq 0 ] || note "once more: ninja -C $(printf %q "$root/build/$preset") $*"
  return $status
}
# The compiler speaks the user's language: a compiler cache takes that for a part of the input, and
# builds by hand are to share what it has.
build_once() {
  local preset=$1 locale=(-u LC_ALL)
  shift
  if [ -n "$users_locale" ]; then locale=("LC_ALL=$users_locale"); fi
  env "${locale[@]}" NINJA_STATUS='[%f/%t] ' ninja -C "build/$preset" -j "$(jobs_count)" "$@"
}
# Reads what ninja or ctest prints: counts become one line that changes on a terminal, and a line for each
# tenth elsewhere; what else ninja prints is passed on, of ctest nothing.
show_progress() {
  local line done=0 all=0 shown=-1 began=$SECONDS
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    elif [[ $line =~ ^\ *([0-9]+)/([0-9]+)\ Test ]]; then
      done=$((done + 1)) all=${BASH_REMATCH[2]} # ctest counts a test when it starts
    else
      if [ "${1-}" = ninja ] && [[ $line != "ninja: Entering"* && $line != "ninja: no work"* ]]; then
        printf '%s%s\n' "${clear_line-}" "$line" >&2
      fi
      continue
    fi
    if [ -t 2 ]; then
      clear_line=$'\r\e[K'
      printf '%s   %d of %d, %d s' "$clear_line" "$done" "$all" $((SECONDS - began)) >&2
    elif [ $((done * 10 / all)) -gt "$shown" ] && [ "$all" -gt 20 ]; then
      shown=$((done * 10 / all))
      note "$done of $all, $((SECONDS - began)) s"
    fi
  done
  if [ -t 2 ] && [ "$all" -gt 0 ]; then printf '\n' >&2; fi
}
