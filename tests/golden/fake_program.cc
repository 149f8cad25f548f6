// Stands in for the compiler in the runner's own tests: does what its arguments say, in turn.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void write(const char* path, const char* text) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) std::exit(9);
  std::fputs(text, file);
  std::fclose(file);
}

void print_stream(std::FILE* file) {
  if (file == nullptr) std::exit(9);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) std::putchar(c);
}

void print_variable(const char* name) {
  const char* value = std::getenv(name);
  std::puts(value == nullptr ? "" : value);
}

void print_directory() {
  char path[4096];
  std::puts(getcwd(path, sizeof path) == nullptr ? "" : path);
}

}  // namespace

int main(int argc, char** argv) {
  const auto next = [&](int& i) { return ++i < argc ? argv[i] : ""; };
  for (int i = 1; i < argc; ++i) {
    const std::string_view verb = argv[i];
    if (verb == "print") std::puts(next(i));
    if (verb == "complain") std::fprintf(stderr, "%s\n", next(i));
    if (verb == "show") print_stream(std::fopen(next(i), "rb"));
    if (verb == "echo") print_stream(stdin);
    if (verb == "variable") print_variable(next(i));
    if (verb == "remove") std::remove(next(i));
    if (verb == "directory") print_directory();
    if (verb == "abort") std::abort();
    if (verb == "exit") return std::atoi(next(i));
    if (verb == "write") {
      const char* path = next(i);
      write(path, next(i));
    }
  }
  return 0;
}
