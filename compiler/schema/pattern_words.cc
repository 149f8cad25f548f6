#include "schema/pattern_words.h"

namespace trainyard {
namespace {

struct PatternWords {
  std::string_view pattern;
  std::string_view words;
};

constexpr PatternWords kWords[] = {
    {R"(^([0-9]+|[0-9]+d([0-9]+h)?([0-9]+m)?([0-9]+s)?|[0-9]+h([0-9]+m)?([0-9]+s)?|[0-9]+m([0-9]+s)?|[0-9]+s)$)",
     "a length of time in days, hours, minutes and seconds, such as `7d`, `1h30m` or `90s`"},
    {R"(^([1-7]c\.)?[1-7]g\.[0-9]+gb([.+-][a-z.]+)*$)",
     "a MIG profile of one to seven slices, such as `1g.10gb`"},
    {R"(^([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$)",
     "a qualified name, such as `nvidia.com/gpu`"},
    {R"re(^\s*(\.{0,2}/\S*|[a-z][a-z0-9+.-]*://\S+|\S+\.(whl|tar\.gz|zip)|[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\s*(\[\s*([A-Za-z0-9][A-Za-z0-9._-]*\s*(,\s*[A-Za-z0-9][A-Za-z0-9._-]*\s*)*)?\])?\s*(@\s*\S+|\(?\s*((===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9._*+!-]+\s*(,\s*(===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9._*+!-]+\s*)*)?,?\s*\)?)\s*(;.*["'].*)?)$)re",
     "a requirement as in PEP 508, such as `numpy>=1.26,<2`; options go to `pip.args`"},
    {R"(^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$)",
     "a name of lower-case letters, digits, `-` and `.`, such as `torch-distributed`"},
    {R"(^/)", "an absolute path, such as `/data`"},
    {R"(^/.)", "an absolute path other than `/`, such as `/data`"},
    {R"(^[A-Z][A-Za-z0-9]*$)", "a kind as Kubernetes spells it, such as `Service`"},
    {R"(^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$)",
     "a Python module, such as `package.train`"},
    {R"(^[^/])", "a path below the directory, without `/` in front"},
    {R"(^[^\s]+$)", "a text without spaces"},
    {R"(^[a-z][a-z0-9+.-]*://[^\s]+$)", "a URL, such as `s3://bucket/path`"},
    {R"(^https?://[^\s]+$)", "a URL with its scheme, such as `http://minio.storage:9000`"},
    {R"(^[a-z][a-z0-9-]*$)", "lower-case letters, digits and `-`, with a letter first"},
    {R"(^v?[0-9]+(\.[0-9]+){0,3}([+-][0-9A-Za-z.+-]+)?$)", "a version, such as `1.33`"},
};

}  // namespace

std::string_view pattern_words(std::string_view pattern) {
  for (const PatternWords& each : kWords) {
    if (each.pattern == pattern) return each.words;
  }
  return {};
}

}  // namespace trainyard
