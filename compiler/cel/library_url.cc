#include <algorithm>
#include <array>
#include <string>

#include "cel/collections.h"
#include "cel/functions.h"
#include "source/characters.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

/// What the API server takes for a URL: absolute, or an absolute path.
bool is_good(Context& context, std::string_view text, bool& known) {
  std::vector<std::string> messages;
  known = context.formats() != nullptr && context.formats()("uri", text, messages);
  return known && messages.empty();
}

Value url(Context& context, Arguments a) {
  if (!context.spend(a[0].text().size() / 8)) return out_of_budget();
  bool known = false;
  if (is_good(context, a[0].text(), known)) return Value::url(a[0].text());
  return context.heap.error("`" + std::string(a[0].text()) + "` is no URL");
}

Value is_url(Context& context, Arguments a) {
  if (!context.spend(a[0].text().size() / 8)) return out_of_budget();
  bool known = false;
  const bool good = is_good(context, a[0].text(), known);
  return known ? Value::boolean(good) : Value::error("URLs cannot be checked here");
}

/// The parts of a URL that was found good.
struct Parts {
  std::string_view scheme, host, path, query;
};

std::size_t scheme_size(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && (is_alphanumeric(text[size]) || text[size] == '+' ||
                                text[size] == '-' || text[size] == '.')) {
    ++size;
  }
  return size < text.size() && text[size] == ':' ? size : 0;
}

Parts parts_of(std::string_view text) {
  Parts parts;
  text = text.substr(0, text.find('#'));
  if (const std::size_t size = scheme_size(text); size > 0) {
    parts.scheme = text.substr(0, size);
    text.remove_prefix(size + 1);
  }
  if (const std::size_t mark = text.find('?'); mark != text.npos) {
    parts.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (text.starts_with("//") && (!parts.scheme.empty() || !text.starts_with("///"))) {
    text.remove_prefix(2);
    const std::size_t end = std::min(text.find('/'), text.size());
    parts.host = text.substr(0, end);
    text.remove_prefix(end);
    if (const std::size_t user = parts.host.rfind('@'); user != parts.host.npos) {
      parts.host.remove_prefix(user + 1);
    }
  } else if (!parts.scheme.empty() && !text.starts_with('/')) {
    text = {};  // `mailto:x` has no path
  }
  parts.path = text;
  return parts;
}

/// The colon in front of the port; npos when there is none.
std::size_t port_colon(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  return colon != host.npos && (bracket == host.npos || bracket < colon) ? colon : host.npos;
}

Value scheme(Context& context, Arguments a) {
  const std::string text = lower_case(parts_of(a[0].text()).scheme);
  return context.heap.string(text);
}

Value host(Context&, Arguments a) {
  return Value::string(parts_of(a[0].text()).host);
}

Value hostname(Context&, Arguments a) {
  std::string_view host = parts_of(a[0].text()).host;
  host = host.substr(0, port_colon(host));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return Value::string(host);
}

Value port(Context&, Arguments a) {
  const std::string_view host = parts_of(a[0].text()).host;
  const std::size_t colon = port_colon(host);
  return Value::string(colon == host.npos ? std::string_view() : host.substr(colon + 1));
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// False for a `%` without two digits behind it.
bool unescape(std::string_view text, bool plus_is_space, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return false;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return true;
}

bool is_plain_in_path(char c) {
  constexpr std::string_view others = "-_.~$&+,/:;=@";
  return is_alphanumeric(c) || others.find(c) != others.npos;
}

Value escaped_path(Context& context, Arguments a) {
  const std::string_view path = parts_of(a[0].text()).path;
  constexpr std::string_view others = "!'()*[]%";
  const bool as_written = std::ranges::all_of(
      path, [&](char c) { return is_plain_in_path(c) || others.find(c) != others.npos; });
  if (as_written) return Value::string(path);
  std::string plain;
  unescape(path, false, plain);
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (char c : plain) {
    if (is_plain_in_path(c)) {
      text += c;
    } else {
      text += '%';
      text += digits[static_cast<unsigned char>(c) >> 4];
      text += digits[static_cast<unsigned char>(c) & 15];
    }
  }
  return context.heap.string(text);
}

struct Parameter {
  std::string name;
  std::vector<Value> values;
};

/// Takes `name=value`; what is written wrongly is left out, as Go does.
void add_parameter(std::string_view pair, std::vector<Parameter>& all, Context& context) {
  if (pair.empty() || pair.find(';') != pair.npos) return;
  const std::size_t sign = pair.find('=');
  std::string name;
  std::string value;
  if (!unescape(pair.substr(0, sign), true, name)) return;
  if (sign != pair.npos && !unescape(pair.substr(sign + 1), true, value)) return;
  auto found = std::ranges::find(all, name, &Parameter::name);
  if (found == all.end()) found = all.insert(found, {name, {}});
  found->values.push_back(context.heap.string(value));
}

Value query(Context& context, Arguments a) {
  std::vector<Parameter> parameters;
  for (std::string_view rest = parts_of(a[0].text()).query; !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    if (!context.spend(1 + parameters.size())) return out_of_budget();
    add_parameter(rest.substr(0, end), parameters, context);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<Entry> entries;
  for (const Parameter& each : parameters) {
    entries.push_back({context.heap.string(each.name), context.heap.list(each.values)});
  }
  return context.heap.map(entries);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"url", Style::Global, 1, 1, Type::String, url},
    {"isURL", Style::Global, 1, 1, Type::String, is_url},
    {"getScheme", Style::Member, 1, 1, Type::Url, scheme},
    {"getHost", Style::Member, 1, 1, Type::Url, host},
    {"getHostname", Style::Member, 1, 1, Type::Url, hostname},
    {"getPort", Style::Member, 1, 1, Type::Url, port},
    {"getEscapedPath", Style::Member, 1, 1, Type::Url, escaped_path},
    {"getQuery", Style::Member, 1, 1, Type::Url, query},
});

}  // namespace

std::span<const Function> url_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
