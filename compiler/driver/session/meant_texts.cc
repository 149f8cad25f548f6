#include "driver/session/meant_texts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "shell/command_line.h"
#include "shell/plain_command.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct Unit {
  std::string_view word;  // without a final `s`
  std::string_view ours;
};
constexpr auto kTimes = std::to_array<Unit>({{"day", "d"},
                                             {"hour", "h"},
                                             {"hr", "h"},
                                             {"minute", "m"},
                                             {"min", "m"},
                                             {"second", "s"},
                                             {"sec", "s"},
                                             {"week", ""},
                                             {"w", ""}});
constexpr auto kAmounts =
    std::to_array<Unit>({{"core", ""}, {"cpu", ""}, {"vcpu", ""}, {"gpu", ""}});

/// `3 days` as `3d`, `1 hour 30 minutes` as `1h30m`; nothing for what is no such text.
template <std::size_t kCount>
std::string with_units(std::string_view text, const std::array<Unit, kCount>& units) {
  std::string result;
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  const auto take = [&](auto is) {
    const std::size_t begin = at;
    while (at < text.size() && is(static_cast<unsigned char>(text[at])) != 0) ++at;
    return std::string(text.substr(begin, at - begin));
  };
  for (skip(); at < text.size(); skip()) {
    const std::string number = take([](unsigned char c) { return std::isdigit(c); });
    skip();
    std::string word = take([](unsigned char c) { return std::isalpha(c); });
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word.size() > 2 && word.ends_with('s')) word.pop_back();
    const auto unit = std::ranges::find(units, std::string_view(word), &Unit::word);
    if (number.empty() || unit == units.end()) return {};
    if (unit->ours.empty() && word.starts_with('w')) {
      constexpr std::size_t kLongest = 4;
      if (number.size() > kLongest) return {};
      result += std::to_string(7 * std::stoul(number)) + "d";
    } else {
      result += number + std::string(unit->ours);
    }
  }
  return result;
}

/// `24:00:00` and `2-12:00:00` of Slurm as `24h` and `2d12h`.
std::string as_clock(std::string_view text) {
  constexpr auto units = std::to_array<std::string_view>({"s", "m", "h", "d"});
  std::string result;
  std::size_t unit = 0;
  for (std::string_view rest = text;; ++unit) {
    const std::size_t mark = rest.find_last_of(":-");
    const bool is_first = mark == rest.npos;
    if (unit == units.size() || (!is_first && (rest[mark] == '-') != (unit == 2))) return {};
    std::string_view number = is_first ? rest : rest.substr(mark + 1);
    if (number.empty() || number.find_first_not_of(kDigits) != number.npos) return {};
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    if (!number.empty()) result = std::string(number) + std::string(units[unit]) + result;
    if (is_first) return unit < 2 ? std::string() : result;
    rest = rest.substr(0, mark);
  }
}

/// `1.5h` as `1h30m`.
std::string as_whole_units(std::string_view text) {
  constexpr std::string_view units = "dhms";
  constexpr auto sizes = std::to_array<std::int64_t>({24, 60, 60});
  const std::size_t point = text.find('.');
  if (point == text.npos || text.size() != point + 3) return {};
  const auto whole = plain_number(text.substr(0, point));
  const auto tenths = plain_number(text.substr(point + 1, 1));
  const std::size_t unit = units.find(text.back());
  if (!whole || !tenths || unit >= sizes.size()) return {};
  const std::int64_t below = *tenths * sizes[unit];
  if (below % 10 != 0) return {};
  return (*whole == 0 ? "" : std::to_string(*whole) + units[unit]) + std::to_string(below / 10) +
         units[unit + 1];
}

}  // namespace

bool is_plain_word(std::string_view text) {
  constexpr auto kOtherTypes = std::to_array<std::string_view>(
      {"y", "n", "yes", "no", "on", "off", "true", "false", "null"});
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  };
  return std::ranges::all_of(text, fits) &&
         std::ranges::find(kOtherTypes, folded(text)) == kOtherTypes.end();
}

std::string yaml_word(std::string_view text) {
  return is_plain_word(text) ? std::string(text) : quoted(text);
}

std::string meant_list(std::string_view line) {
  std::string text;
  const auto words = words_of_line(line);
  if (!words || words->empty()) return {};
  for (const std::string& each : *words) text += (text.empty() ? "" : ", ") + yaml_word(each);
  return "[" + text + "]";
}

std::string meant_run(std::string_view line) {
  const auto words = words_of_line(line);
  if (!words || words->empty()) return "{shell: " + quoted(line) + "}";
  const bool is_python = words->front() == "python" || words->front() == "python3";
  std::size_t at = is_python ? 1 : 0;
  std::string_view field = "script";
  if (is_python && words->size() > 2 && (*words)[1] == "-m") {
    field = "module";
    at = 2;
  }
  const bool is_script = at < words->size() && (field == "module" || (*words)[at].ends_with(".py"));
  if (!is_script) return "{shell: " + quoted(line) + "}";
  std::string args;
  for (std::size_t i = at + 1; i < words->size(); ++i) {
    args += (args.empty() ? "" : ", ") + yaml_word((*words)[i]);
  }
  return "{" + std::string(field) + ": " + yaml_word((*words)[at]) +
         (args.empty() ? "" : ", args: [" + args + "]") + "}";
}

std::string meant_address(std::string_view text) {
  for (const auto& [other, ours] :
       {std::pair{std::string_view("hf_model://"), std::string_view("hf://")},
        std::pair{std::string_view("hf_dataset://"), std::string_view("hf://datasets/")}}) {
    if (!text.starts_with(other)) continue;
    return quoted(std::string(ours) + std::string(text.substr(other.size())));
  }
  return {};
}

std::string meant_url(std::string_view text) {
  const std::size_t colon = text.find(":/");
  if (colon == text.npos || colon == 0 || text.substr(colon).starts_with("://")) return {};
  return quoted(std::string(text.substr(0, colon)) + ":/" + std::string(text.substr(colon + 1)));
}

std::string meant_module(std::string_view text) {
  if (text.starts_with("./")) text.remove_prefix(2);
  if (text.ends_with(".py")) text.remove_suffix(3);
  std::string result(text);
  std::ranges::replace(result, '/', '.');
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
  const bool good = !result.empty() && result.front() != '.' && std::ranges::all_of(result, fits);
  return good ? result : std::string();
}

std::string meant_profile(std::string_view text) {
  if (text.starts_with("mig-")) return std::string(text.substr(4));
  const std::size_t slices = text.find('g');
  if (slices == text.npos || slices == 0 || !text.ends_with("gb")) return {};
  const std::string_view memory = text.substr(slices + 1, text.size() - slices - 3);
  if (memory.empty() || memory.find_first_not_of(kDigits) != memory.npos) return {};
  return std::string(text.substr(0, slices + 1)) + "." + std::string(memory) + "gb";
}

std::string meant_absolute(std::string_view text) {
  if (text.starts_with("./")) text.remove_prefix(2);
  return is_plain_word(text) && !text.starts_with("..") ? "/" + std::string(text) : std::string();
}

std::string meant_requirement(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == text.npos || at == 0 || at + 1 == text.size()) return {};
  if (text.find_first_of("<>!~;@ =", 0) != at || text[at + 1] == '=') return {};
  if (text[at + 1] == '<' || text[at + 1] == '>') {
    return quoted(std::string(text.substr(0, at)) + text[at + 1] + "=" +
                  std::string(text.substr(at + 2)));
  }
  return quoted(std::string(text.substr(0, at)) + "=" + std::string(text.substr(at)));
}

std::string meant_secret(std::string_view text) {
  const std::size_t at = text.find_first_of("/:");
  if (at == text.npos || at == 0 || at + 1 == text.size()) return {};
  return "{name: " + yaml_word(text.substr(0, at)) + ", key: " + yaml_word(text.substr(at + 1)) +
         "}";
}

std::string meant_export(std::string_view text) {
  const std::size_t at = text.find(":/");
  if (at == text.npos || at == 0) return {};
  return "{server: " + yaml_word(text.substr(0, at)) + ", path: " + yaml_word(text.substr(at + 1)) +
         "}";
}

std::string meant_duration(std::string_view text) {
  if (text.starts_with("PT")) {
    std::string result;
    for (char c : text.substr(2)) result += static_cast<char>(std::tolower(c));
    return result.find_first_not_of("0123456789hms") == result.npos ? result : std::string();
  }
  const std::string clock = as_clock(text);
  return clock.empty() ? as_whole_units(text) : clock;
}

std::string meant_gpu(std::string_view name) {
  constexpr auto labels = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"h100", "NVIDIA-H100-80GB-HBM3"},
       {"h200", "NVIDIA-H200"},
       {"a100", "NVIDIA-A100-SXM4-80GB"},
       {"b200", "NVIDIA-B200"},
       {"gb200", "NVIDIA-GB200"}});
  const std::string word = folded(name);
  const auto row = std::ranges::find(labels, word, &decltype(labels)::value_type::first);
  return "{product: " + (row == labels.end() ? yaml_word(name) : std::string(row->second)) + "}";
}

std::string meant_time(std::string_view text) {
  return with_units(text, kTimes);
}

std::string meant_amount(std::string_view text) {
  return with_units(text, kAmounts);
}

}  // namespace trainyard
