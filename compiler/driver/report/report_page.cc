#include "driver/report/report_page.h"

#include <array>
#include <utility>

#include "source/embedded_files.h"
#include "source/sha256.h"

namespace trainyard {

std::string_view embedded_report_page();

namespace {

std::string base64(const Sha256::Digest& digest) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < digest.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = at; i < at + 3; ++i)
      bits = bits << 8 | (i < digest.size() ? digest[i] : 0);
    for (int shift = 18; shift >= 0; shift -= 6) text += kLetters[bits >> shift & 63];
  }
  text.back() = '=';  // of 32 bytes
  return text;
}

std::string source_of(std::string_view text) {
  return "'sha256-" + base64(Sha256().update(text).finish()) + "'";
}

/// A `<` stands only inside of the texts of JSON.
std::string inside_of_script(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string report_page(std::string_view data) {
  const auto files = EmbeddedFiles::open(embedded_report_page());
  const auto part = [&](std::string_view name) { return *files->find(name); };
  const std::string_view script = part("report.js");
  const std::string_view style = part("report.css");
  const std::string policy = "default-src 'none'; script-src " + source_of(script) +
                             "; style-src " + source_of(style) +
                             "; img-src data:; base-uri 'none'; form-action 'none'";
  const std::string own_data = inside_of_script(data);
  const std::array<std::pair<std::string_view, std::string_view>, 5> holes = {
      {{"@mark@", kReportMark},
       {"@policy@", policy},
       {"@style@", style},
       {"@data@", own_data},
       {"@script@", script}}};
  std::string page;
  std::string_view rest = part("report.html");
  for (const auto& [hole, text] : holes) {
    const std::size_t at = rest.find(hole);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + hole.size());
  }
  return page.append(rest);
}

}  // namespace trainyard
