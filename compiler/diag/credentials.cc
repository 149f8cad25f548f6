#include "diag/credentials.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "source/text_scan.h"

namespace trainyard {
namespace {

/// What a character is. All text is looked at by these.
enum Mark : unsigned char { kDigit = 1, kUpper = 2, kLower = 4, kOfWord = 8, kOfBase64 = 16 };

constexpr auto kMarks = [] {
  std::array<unsigned char, 256> table{};
  const auto mark = [&table](char first, char last, unsigned char bit) {
    for (char c = first; c <= last; ++c) table[static_cast<unsigned char>(c)] |= bit;
  };
  mark('0', '9', kDigit);
  mark('A', 'Z', kUpper);
  mark('a', 'z', kLower);
  for (char c : {'_', '-'}) mark(c, c, kOfWord);
  for (char c : {'+', '/'}) mark(c, c, kOfBase64);
  return table;
}();

bool is_of(char c, unsigned marks) {
  return (kMarks[static_cast<unsigned char>(c)] & marks) != 0;
}
bool is_digit(char c) {
  return is_of(c, kDigit);
}
bool is_upper(char c) {
  return is_of(c, kUpper);
}
bool is_lower(char c) {
  return is_of(c, kLower);
}
bool is_alnum(char c) {
  return is_of(c, kDigit | kUpper | kLower);
}
bool is_word(char c) {
  return is_of(c, kDigit | kUpper | kLower | kOfWord);
}
bool is_upper_or_digit(char c) {
  return is_of(c, kDigit | kUpper);
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_word_or_dot(char c) {
  return is_word(c) || c == '.';
}

/// The characters of base64, in both of its alphabets.
bool is_base64(char c) {
  return kMarks[static_cast<unsigned char>(c)] != 0;
}

int base64_value(char c) {
  constexpr int kLower = 26;
  constexpr int kDigits = 52;
  if (is_upper(c)) return c - 'A';
  if (is_lower(c)) return c - 'a' + kLower;
  if (is_digit(c)) return c - '0' + kDigits;
  return c == '+' || c == '-' ? kDigits + 10 : kDigits + 11;
}

/// A token: a fixed prefix, then at least `least` characters of one class.
struct TokenFormat {
  std::string_view prefix;
  std::size_t least;
  bool (*allowed)(char);
  std::string_view what;
};

// The prefixes are published by the services so that scanners can find leaked tokens
// (gitleaks/gitleaks config/gitleaks.toml). In the order of their first characters.
constexpr TokenFormat kTokens[] = {
    {"AGE-SECRET-KEY-1", 58, is_upper_or_digit, "a private key of age"},
    {"AIza", 35, is_word, "a Google API key"},
    {"AKCp", 60, is_alnum, "an Artifactory API key"},
    {"AKIA", 16, is_upper_or_digit, "an AWS access key"},
    {"ASIA", 16, is_upper_or_digit, "a temporary AWS access key"},
    {"ATATT3", 100, is_word, "an Atlassian token"},
    {"AgoJb3JpZ2luX2Vj", 100, is_base64, "a session token of AWS"},
    {"FQoGZXIvYXdz", 100, is_base64, "a session token of AWS"},
    {"FwoGZXIvYXdz", 100, is_base64, "a session token of AWS"},
    {"GOCSPX-", 28, is_word, "a Google OAuth secret"},
    {"IQoJb3JpZ2luX2Vj", 100, is_base64, "a session token of AWS"},
    {"LTAI", 20, is_alnum, "an Alibaba Cloud access key"},
    {"SG.", 60, is_word_or_dot, "a SendGrid key"},
    {"api_org_", 34, is_alnum, "a Hugging Face token"},
    {"dapi", 32, is_hex, "a Databricks token"},
    {"dckr_oat_", 27, is_word, "a Docker token"},
    {"dckr_pat_", 27, is_word, "a Docker token"},
    {"dop_v1_", 64, is_alnum, "a DigitalOcean token"},
    {"dp.pt.", 40, is_alnum, "a Doppler token"},
    {"ghp_", 36, is_alnum, "a GitHub token"},
    {"gho_", 36, is_alnum, "a GitHub token"},
    {"ghu_", 36, is_alnum, "a GitHub token"},
    {"ghs_", 36, is_alnum, "a GitHub token"},
    {"ghr_", 36, is_alnum, "a GitHub token"},
    {"github_pat_", 22, is_word, "a GitHub token"},
    {"glcbt-", 20, is_word, "a GitLab token"},
    {"gldt-", 20, is_word, "a GitLab token"},
    {"glpat-", 20, is_word, "a GitLab token"},
    {"glptt-", 40, is_hex, "a GitLab token"},
    {"glrt-", 20, is_word, "a GitLab token"},
    {"glsa_", 32, is_word, "a Grafana token"},
    {"gsk_", 52, is_alnum, "a Groq API key"},
    {"hf_", 30, is_alnum, "a Hugging Face token"},
    {"hvb.", 90, is_word, "a Vault token"},
    {"hvs.", 90, is_word, "a Vault token"},
    {"lin_api_", 40, is_alnum, "a Linear API key"},
    {"lsv2_pt_", 32, is_word, "a LangSmith API key"},
    {"lsv2_sk_", 32, is_word, "a LangSmith API key"},
    {"nvapi-", 40, is_word, "an NVIDIA API key"},
    {"npm_", 36, is_alnum, "an npm token"},
    {"pplx-", 48, is_alnum, "a Perplexity API key"},
    {"pul-", 40, is_hex, "a Pulumi token"},
    {"pypi-AgEIcHlwaS5vcmc", 50, is_word, "a PyPI token"},
    {"r8_", 37, is_word, "a Replicate token"},
    {"rk_live_", 20, is_alnum, "a Stripe key"},
    {"rubygems_", 48, is_hex, "a RubyGems token"},
    {"sk-admin-", 40, is_word, "an OpenAI API key"},
    {"sk-ant-", 40, is_word, "an Anthropic API key"},
    {"sk-or-v1-", 64, is_hex, "an OpenRouter API key"},
    {"sk-proj-", 40, is_word, "an OpenAI API key"},
    {"sk-svcacct-", 40, is_word, "an OpenAI API key"},
    {"sk_live_", 20, is_alnum, "a Stripe key"},
    {"tskey-", 20, is_word, "a Tailscale key"},
    {"wandb_v1_", 60, is_word, "a key of Weights & Biases"},
    {"xai-", 70, is_alnum, "an xAI API key"},
    {"xapp-", 24, is_word, "a Slack token"},
    {"xoxa-", 24, is_word, "a Slack token"},
    {"xoxb-", 24, is_word, "a Slack token"},
    {"xoxe-", 24, is_word, "a Slack token"},
    {"xoxp-", 24, is_word, "a Slack token"},
    {"xoxr-", 24, is_word, "a Slack token"},
    {"ya29.", 40, is_word, "a Google OAuth token"},
};
static_assert(std::ranges::is_sorted(kTokens, {},
                                     [](const TokenFormat& each) { return each.prefix[0]; }));

/// A private key in base64, as `-----BEGIN` becomes.
constexpr std::string_view kEncodedKey = "LS0tLS1CRUdJTi";

/// The first of `kTokens` with a first character; the size where there is none.
constexpr auto kStarts = [] {
  std::array<std::uint8_t, 256> table{};
  constexpr std::size_t kCount = std::size(kTokens);
  static_assert(kCount < 256);
  table.fill(kCount);
  for (std::size_t i = kCount; i-- > 0;) {
    table[static_cast<unsigned char>(kTokens[i].prefix[0])] = static_cast<std::uint8_t>(i);
  }
  return table;
}();

/// For each first character of a prefix, of `eyJ` and of `kEncodedKey`, those that come second: a
/// bit for each, which some share.
constexpr auto kSeconds = [] {
  std::array<std::uint64_t, 256> table{};
  const auto add = [&table](std::string_view prefix) {
    table[static_cast<unsigned char>(prefix[0])] |= std::uint64_t{1} << (prefix[1] & 63);
  };
  for (const TokenFormat& format : kTokens) add(format.prefix);
  add("eyJ");
  add(kEncodedKey);
  return table;
}();

/// Whether a token may begin with these two characters: few words do.
bool may_start_token(char first, char second) {
  return (kSeconds[static_cast<unsigned char>(first)] >> (second & 63) & 1U) != 0;
}

/// No token, and no private key, is shorter; a password in a URL may be.
constexpr std::size_t kShortestToken = [] {
  std::size_t least = 3 * 10 + 2;  // of a web token
  for (const TokenFormat& format : kTokens) {
    least = std::min(least, format.prefix.size() + format.least);
  }
  return least;
}();

std::size_t run_length(std::string_view text, std::size_t from, bool (*allowed)(char)) {
  std::size_t end = from;
  while (end < text.size() && allowed(text[end])) ++end;
  return end - from;
}

std::optional<CredentialFinding> find_token(std::string_view text, std::size_t at) {
  const char first = text[at];
  for (std::size_t i = kStarts[static_cast<unsigned char>(first)];
       i < std::size(kTokens) && kTokens[i].prefix[0] == first; ++i) {
    const TokenFormat& format = kTokens[i];
    if (!text.substr(at).starts_with(format.prefix)) continue;
    const std::size_t start = at + format.prefix.size();
    const std::size_t length = run_length(text, start, format.allowed);
    if (length >= format.least) return CredentialFinding{at, start + length, format.what};
  }
  return std::nullopt;
}

std::optional<CredentialFinding> find_web_token(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("eyJ")) return std::nullopt;
  std::size_t end = at;
  for (int dots = 0; dots < 3; ++dots) {
    const std::size_t length = run_length(text, end, is_word);
    if (length < 10) return std::nullopt;
    end += length;
    if (dots == 2) return CredentialFinding{at, end, "a JSON web token"};
    if (end >= text.size() || text[end] != '.') return std::nullopt;
    ++end;
  }
  return std::nullopt;
}

/// The next one that starts at `from` or behind it; the parts of a certificate are no secret.
std::optional<CredentialFinding> find_private_key(std::string_view text, std::size_t from) {
  constexpr std::size_t kLongestHeader = 80;
  for (std::size_t begin = text.find("-----BEGIN ", from); begin != std::string_view::npos;
       begin = text.find("-----BEGIN ", begin + 1)) {
    const std::string_view header = text.substr(begin, kLongestHeader);
    const std::string_view line = header.substr(0, header.find('\n'));
    if (line.find("PRIVATE KEY") == std::string_view::npos) continue;
    // A script that writes the header, or looks for it: no key follows.
    constexpr std::string_view kDashes = "-----";
    const std::size_t close = line.find(kDashes, kDashes.size());
    const std::size_t behind = text.find_first_not_of('-', begin + std::min(close, line.size()));
    if (behind != text.npos && std::string_view("\"'/").find(text[behind]) != text.npos) continue;
    const std::size_t last_line = text.find("-----END ", begin);
    const std::size_t end = text.find_first_of("\n\"'", last_line);
    return CredentialFinding{begin, std::min(end, text.size()), "a private key"};
  }
  return std::nullopt;
}

bool is_reference(std::string_view value) {
  return value.starts_with('$') || value.starts_with('<') || value.starts_with("{{");
}

/// Addresses that need no other credential: what follows is the key.
constexpr std::string_view kWebhooks[] = {
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "open.feishu.cn/open-apis/bot/v2/hook/",
    "open.larksuite.com/open-apis/bot/v2/hook/",
    "outlook.office.com/webhook/",
    "outlook.office365.com/webhook/",
};

/// The same behind a host that each organisation has for itself.
constexpr std::string_view kWebhookOfTeams = ".webhook.office.com/webhookb2/";

/// How much of an address leads to the key of a webhook; 0 when it is none.
std::size_t webhook_length(std::string_view address, std::size_t authority) {
  for (const std::string_view webhook : kWebhooks) {
    if (address.starts_with(webhook)) return webhook.size();
  }
  const std::size_t host = address.substr(0, authority).find('.');
  if (host == std::string_view::npos) return 0;
  return address.substr(host).starts_with(kWebhookOfTeams) ? host + kWebhookOfTeams.size() : 0;
}

/// A password that stands elsewhere or is left out, `****`, or one for the host `example`.
bool is_example(std::string_view password, std::string_view host) {
  return is_reference(password) || password.find_first_not_of('*') == password.npos ||
         host.substr(0, host.find(':')) == "example";
}

/// A password before the host, or the key of a webhook.
std::optional<CredentialFinding> find_in_address(std::string_view text, std::size_t from) {
  constexpr std::size_t kShortestKey = 20;
  const auto in_path = [](char c) { return is_word(c) || c == '/' || c == '@'; };
  // Each line of YAML has a colon, and few have two slashes.
  for (std::size_t at = text.find("//", from + 1); at != std::string_view::npos;
       at = text.find("//", at + 2)) {
    if (text[at - 1] != ':') continue;
    const std::size_t begin = at + 2;
    const std::string_view rest = text.substr(begin);
    const std::size_t end = std::min(text.find_first_of("/ \t\n\"'?#", begin), text.size());
    const std::string_view authority = text.substr(begin, end - begin);
    const std::size_t sign = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (sign != std::string_view::npos && colon != std::string_view::npos && colon + 1 < sign &&
        !is_example(authority.substr(colon + 1, sign - colon - 1), authority.substr(sign + 1))) {
      return CredentialFinding{begin + colon + 1, begin + sign, "a password in a URL", false, true};
    }
    const std::size_t webhook = webhook_length(rest, authority.size());
    if (webhook == 0) continue;
    const std::size_t length = run_length(rest, webhook, in_path);
    if (length < kShortestKey) continue;
    const std::size_t key = begin + webhook;
    return CredentialFinding{key, key + length, "the address of a webhook"};
  }
  return std::nullopt;
}

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, is_digit);
}

/// Signatures of addresses that are good for a while, in lower case.
constexpr std::string_view kSignatures[] = {"sig", "x-amz-signature", "x-goog-signature",
                                            "x-amz-security-token"};

/// `?token=...` and `&sig=...` in an address.
std::optional<CredentialFinding> find_parameter(std::string_view text, std::size_t from) {
  constexpr std::size_t kLongestName = 64;
  constexpr std::size_t kShortest = 16;
  constexpr std::size_t kLongestJudged = 1024;
  const auto in_value = [](char c) {
    return is_word_or_dot(c) || c == '%' || c == '+' || c == '~';
  };
  if (text.find('=', from) == std::string_view::npos) return std::nullopt;
  const auto is_start = [](char c) { return c == '?' || c == '&'; };
  for (std::size_t at = from; at < text.size(); ++at) {
    const auto* const start = std::find_if(text.begin() + at, text.end(), is_start);
    if (start == text.end()) break;
    at = static_cast<std::size_t>(start - text.begin());
    const std::size_t length =
        run_length(text.substr(0, at + 1 + kLongestName), at + 1, is_word_or_dot);
    const std::size_t equals = at + 1 + length;
    if (length == 0 || equals >= text.size() || text[equals] != '=') continue;
    const std::string_view name = text.substr(at + 1, length);
    const std::size_t size = run_length(text, equals + 1, in_value);
    const std::string_view value = text.substr(equals + 1, size);
    std::string lower(name);
    for (char& c : lower) c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    const bool signs = std::ranges::find(kSignatures, lower) != std::end(kSignatures);
    const bool is_one = signs ? size >= kShortest
                              : has_digit(value.substr(0, kLongestJudged)) &&
                                    is_named_credential(name, value.substr(0, kLongestJudged));
    if (is_one) {
      return CredentialFinding{equals + 1, equals + 1 + size, "a credential in an address", false,
                               true};
    }
    at = equals + size;
    --at;
  }
  return std::nullopt;
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.ends_with(word) &&
         (text.size() == word.size() || !is_word(text[text.size() - word.size() - 1]));
}

/// What stands behind a word that announces it: the header of a request, `curl -u`, a line of
/// `.netrc`. `at` is the blank behind the word.
std::optional<CredentialFinding> announced(std::string_view text, std::size_t at) {
  constexpr std::size_t kShortestBearer = 16;
  constexpr std::size_t kShortestBasic = 8;
  constexpr std::size_t kCommand = 256;
  const std::string_view before =
      text.substr(at > kCommand ? at - kCommand : 0, std::min(at, kCommand));
  const auto in_token = [](char c) {
    return is_word_or_dot(c) || c == '~' || c == '+' || c == '/' || c == '=';
  };
  std::size_t begin = at + 1;
  if (ends_with_word(before, "Bearer") || ends_with_word(before, "bearer")) {
    const std::size_t size = run_length(text, begin, in_token);
    if (size < kShortestBearer || !has_digit(text.substr(begin, size))) return std::nullopt;
    return CredentialFinding{begin, begin + size, "a token in a header", false, true};
  }
  if (ends_with_word(before, "Basic") && before.find("uthorization") != std::string_view::npos) {
    const std::size_t size = run_length(text, begin, in_token);
    if (size < kShortestBasic) return std::nullopt;
    return CredentialFinding{begin, begin + size, "a password in a header", false, true};
  }
  const bool is_user = (ends_with_word(before, "-u") || ends_with_word(before, "--user")) &&
                       before.find("curl ") != std::string_view::npos;
  const bool is_line = ends_with_word(before, "password") &&
                       before.find("login") != std::string_view::npos &&
                       before.find("machine") != std::string_view::npos;
  if (!is_user && !is_line) return std::nullopt;
  if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) ++begin;
  const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'\\;|`", begin), text.size());
  std::size_t colon = 0;
  if (is_user) {
    colon = text.substr(begin, end - begin).find(':');
    const bool is_time = begin < text.size() && text[begin] == '+';  // of `date -u +%H:%M`
    if (colon == std::string_view::npos || is_time) return std::nullopt;
    ++colon;
  }
  const std::string_view value = text.substr(begin + colon, end - begin - colon);
  if (value.size() > kCommand || value == "password" || !could_be_credential_value(value)) {
    return std::nullopt;
  }
  return CredentialFinding{begin + colon, end, "a password", false, true};
}

/// The first blank at or after `from`, which is not 0, behind a letter that ends a word which
/// announces something. An indented text has many blanks, and a call for each would be most of the
/// work.
std::size_t find_announcement(std::string_view text, std::size_t from) {
  const auto may_end_one = [](char c) { return c == 'r' || c == 'c' || c == 'u' || c == 'd'; };
#if defined(__SSE2__)
  using namespace text_scan;
  for (; from + kStep <= text.size(); from += kStep) {
    const __m128i before = load(text, from - 1);
    const __m128i ends = _mm_or_si128(_mm_or_si128(equal(before, 'r'), equal(before, 'c')),
                                      _mm_or_si128(equal(before, 'u'), equal(before, 'd')));
    const unsigned found = bits(_mm_and_si128(equal(load(text, from), ' '), ends));
    if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  while (from < text.size() && !(text[from] == ' ' && may_end_one(text[from - 1]))) ++from;
  return from;
}

std::optional<CredentialFinding> find_announced(std::string_view text, std::size_t from) {
  from = std::max<std::size_t>(from, 1);  // behind a letter
  for (std::size_t at = find_announcement(text, from); at < text.size();
       at = find_announcement(text, at + 1)) {
    if (const auto found = announced(text, at)) return found;
  }
  return std::nullopt;
}

/// The bytes that some base64 stands for, without what is left of a byte at its end.
std::string decoded(std::string_view text) {
  std::string result;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    bits = (bits << 6U | static_cast<unsigned>(base64_value(c))) & 0xFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    result += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return result;
}

std::optional<CredentialFinding> find_encoded_key(std::string_view text, std::size_t at) {
  constexpr std::size_t kHeader = 64;
  if (!text.substr(at).starts_with(kEncodedKey)) return std::nullopt;
  const std::string_view start = text.substr(at, kHeader);
  const std::string bytes = decoded(start.substr(0, run_length(start, 0, is_base64)));
  if (bytes.substr(0, bytes.find('\n')).find("PRIVATE KEY") == std::string::npos) {
    return std::nullopt;
  }
  return CredentialFinding{at, at + run_length(text, at, is_base64), "a private key in base64"};
}

/// A token at the beginning of a word.
std::optional<CredentialFinding> token_at(std::string_view text, std::size_t at) {
  if (at + kShortestToken > text.size() || !may_start_token(text[at], text[at + 1])) {
    return std::nullopt;
  }
  if (auto token = find_token(text, at)) return token;
  if (auto token = find_web_token(text, at)) return token;
  return find_encoded_key(text, at);
}

std::optional<CredentialFinding> next_token(std::string_view text, std::size_t from) {
  bool in_word = from > 0 && from <= text.size() && is_word(text[from - 1]);
#if defined(__SSE2__)
  for (; from + text_scan::kStep <= text.size(); from += text_scan::kStep) {
    const unsigned words = text_scan::bits(text_scan::of_words(text_scan::load(text, from)));
    for (unsigned starts = words & ~(words << 1U | (in_word ? 1U : 0U)); starts != 0;
         starts &= starts - 1) {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(starts));
      if (auto token = token_at(text, at)) return token;
    }
    in_word = (words >> (text_scan::kStep - 1) & 1U) != 0;
  }
#endif
  for (; from + kShortestToken <= text.size(); ++from) {
    const bool before = std::exchange(in_word, is_word(text[from]));
    if (before || !in_word) continue;
    if (auto token = token_at(text, from)) return token;
  }
  return std::nullopt;
}

/// `wandb login KEY`: a key of Weights & Biases has no mark of its own.
std::optional<CredentialFinding> find_login(std::string_view text, std::size_t from) {
  constexpr std::string_view kLogin = "wandb login";
  constexpr std::size_t kKeyDigits = 40;
  constexpr std::size_t kLongestCommand = 256;
  for (std::size_t at = text.find(kLogin, from); at != std::string_view::npos;
       at = text.find(kLogin, at + kLogin.size())) {
    const std::size_t begin = at + kLogin.size();
    std::string_view rest = text.substr(0, begin + kLongestCommand);
    rest = rest.substr(0, rest.find_first_of(";&|\n", begin));
    std::size_t key = begin;
    while (key < rest.size()) {
      const std::size_t length = run_length(rest, key, is_hex);
      if (length >= kKeyDigits && !is_word(rest[key - 1])) {
        return CredentialFinding{key, key + length, "a key of Weights & Biases"};
      }
      key += length + 1;
    }
  }
  return std::nullopt;
}

// --- words without a pattern

/// How many of a word's characters are of each sort.
struct Mixture {
  std::size_t lower = 0, upper = 0, digits = 0, others = 0;
  std::size_t changes = 0;  // from one sort of letters and digits to another
  std::size_t spelled = 0;  // in runs of lower case, with the capital before them
};

Mixture mixture_of(std::string_view word) {
  enum class Sort : std::uint8_t { Other, Lower, Upper, Digit };
  Mixture result;
  Sort before = Sort::Other;
  std::size_t run = 0;  // of lower case, up to here
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const Sort sort = is_lower(c)   ? Sort::Lower
                      : is_upper(c) ? Sort::Upper
                      : is_digit(c) ? Sort::Digit
                                    : Sort::Other;
    if (sort == Sort::Lower) ++result.lower;
    if (sort == Sort::Upper) ++result.upper;
    if (sort == Sort::Digit) ++result.digits;
    if (sort == Sort::Other) ++result.others;
    if (before != Sort::Other && sort != Sort::Other && sort != before) ++result.changes;
    run = sort == Sort::Lower ? run + 1 : 0;
    if (run > 2) ++result.spelled;
    if (run == 2) result.spelled += i >= 2 && is_upper(word[i - 2]) ? 3U : 2U;
    before = sort;
  }
  return result;
}

/// Whether a word is base64 of text, which is mostly a document and no key. Looks for bytes that no
/// text in UTF-8 has: control characters, and lone continuations.
bool is_encoded_text(std::string_view word) {
  constexpr int kSix = 6;
  constexpr int kByte = 8;
  unsigned bits = 0;
  int count = 0;
  int following = 0;  // bytes that continue the character before
  for (const char c : word) {
    bits = (bits << kSix | static_cast<unsigned>(base64_value(c))) & 0xFFFFU;
    count += kSix;
    if (count < kByte) continue;
    count -= kByte;
    const unsigned byte = bits >> static_cast<unsigned>(count) & 0xFFU;
    const bool continues = (byte & 0xC0U) == 0x80U;
    if (continues != (following > 0)) return false;
    if (continues) {
      --following;
    } else if (byte >= 0xF8U) {
      return false;
    } else if (byte >= 0xC2U) {
      following = byte >= 0xF0U ? 3 : byte >= 0xE0U ? 2 : 1;
    } else if (byte >= 0x7FU || (byte < ' ' && byte != '\n' && byte != '\t' && byte != '\r')) {
      return false;
    }
  }
  return true;
}

/// Whether letters of both cases and digits stand as mixed as chance mixes them. Names that people
/// make have one sort for a while, few digits or many dashes; digests and UUIDs have one case only.
bool has_no_pattern(std::string_view word) {
  const Mixture mixed = mixture_of(word);
  const std::size_t length = word.size();
  constexpr std::size_t kOthers = 8;   // at most one of so many: chance makes it one of 32
  constexpr std::size_t kLetters = 5;  // at least one of so many: chance makes it two
  constexpr std::size_t kDigits = 20;  // likewise: three
  return mixed.others <= length / kOthers && mixed.lower >= length / kLetters &&
         mixed.upper >= length / kLetters && mixed.digits >= length / kDigits &&
         mixed.changes * 20 >= (length - 1) * 9 &&  // 0.45, where chance makes it 0.62
         mixed.spelled * 20 <= length * 11;         // 0.55, where chance makes it 0.35
}

/// Whether what stands before or in a word says that it is no secret: a digest, an encrypted value,
/// a part of an address, a public key, an identifier of a file at Google or of an object of IPFS.
bool is_known_to_be_public(std::string_view text, std::size_t begin, std::string_view word) {
  const std::string_view before = text.substr(0, begin);
  for (const std::string_view mark : {"sha256:", "SHA256:", "sha512:", "h1:", "vault:v1:"}) {
    if (before.ends_with(mark)) return true;
  }
  for (const std::string_view mark : {"sha1-", "sha256-", "sha384-", "sha512-", "AAAA"}) {
    if (word.starts_with(mark)) return true;
  }
  // The first bytes of PNG, JPEG, GIF, gzip, zip, zstd, xz and bzip2.
  for (const std::string_view magic :
       {"iVBORw0KGgo", "/9j/", "R0lGOD", "H4sI", "UEsDB", "KLUv/", "/Td6WFoA", "QlpoO"}) {
    if (word.starts_with(magic)) return true;
  }
  if (word.find("EXAMPLE") != std::string_view::npos) return true;
  // A private key has been found as one; certificates and what is encrypted may be shown.
  constexpr std::size_t kLongestBlock = 16384;
  const std::string_view near = before.substr(begin > kLongestBlock ? begin - kLongestBlock : 0);
  const std::size_t block = near.rfind("-----BEGIN ");
  if (block != std::string_view::npos &&
      near.substr(block).find("-----END ") == std::string_view::npos) {
    return true;
  }
  constexpr std::size_t kFile = 33;
  constexpr std::size_t kSheet = 44;
  constexpr std::size_t kObject = 46;
  if ((word.size() == kFile || word.size() == kSheet) && word[0] == '1') return true;
  if (word.size() == kObject && word.starts_with("Qm")) return true;
  constexpr std::size_t kLongestAddress = 2048;
  const std::string_view last =
      before.substr(begin > kLongestAddress ? begin - kLongestAddress : 0);
  const std::size_t start = last.find_last_of(" \t\n\"'`(<");
  const std::string_view whole = start == std::string_view::npos ? last : last.substr(start);
  return whole.find("://") != std::string_view::npos ||
         whole.find("ENC[") != std::string_view::npos;
}

/// Whether the word is a line of its own with others of the same sort above or below: the lines of
/// a certificate, of a picture.
bool is_line_of_block(std::string_view text, std::size_t begin, std::size_t end) {
  const auto all_base64 = [](std::string_view line) {
    constexpr std::size_t kShortest = 16;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return false;
    const std::size_t length = run_length(line, first, is_base64);
    return length >= kShortest &&
           line.find_first_not_of("= \t\r\\", first + length) == std::string_view::npos;
  };
  // Seen from the word: a line may be the whole text, with a word at each step.
  const std::size_t blank = begin == 0 ? text.npos : text.find_last_not_of(" \t", begin - 1);
  const std::size_t line_start = blank == text.npos ? 0 : blank + 1;
  if (line_start > 0 && text[line_start - 1] != '\n') return false;
  const std::size_t line_end = std::min(text.find_first_not_of("= \t\r\\", end), text.size());
  if (line_end < text.size() && text[line_end] != '\n') return false;
  if (line_end < text.size()) {
    const std::string_view rest = text.substr(line_end + 1);
    const std::string_view below = rest.substr(0, rest.find('\n'));
    if (all_base64(below)) return true;
  }
  if (line_start < 2) return false;
  const std::string_view rest = text.substr(0, line_start - 1);
  const std::string_view above = rest.substr(rest.rfind('\n') + 1);
  return all_base64(above);
}

/// A password behind the name of a user, as `auth` of Docker's config has it.
bool is_encoded_login(std::string_view value) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kLongest = 4096;
  constexpr std::size_t kShortestPassword = 3;
  while (value.ends_with('=')) value.remove_suffix(1);
  if (value.size() < kShortest || value.size() > kLongest) return false;
  if (run_length(value, 0, is_base64) != value.size() || !is_encoded_text(value)) return false;
  const std::string login = decoded(value);
  const std::size_t colon = login.find(':');
  return colon != std::string::npos && colon > 0 && colon + kShortestPassword < login.size() &&
         login.find_first_of(" \t\r\n") == std::string::npos;
}

/// A key of NGC of the old form, in base64 itself: 26 characters, a colon and a UUID.
bool is_ngc_key(std::string_view decoded) {
  constexpr std::size_t kFirst = 26;
  constexpr std::size_t kWhole = kFirst + 1 + 36;
  if (decoded.size() != kWhole || decoded[kFirst] != ':') return false;
  const auto in_first = [](char c) { return is_lower(c) || is_digit(c); };
  return run_length(decoded, 0, in_first) == kFirst &&
         std::ranges::all_of(decoded.substr(kFirst + 1),
                             [](char c) { return is_hex(c) || c == '-'; });
}

/// Whether a JSON document has a member with the name of a credential, as a token of Neptune and
/// Docker's config do.
bool has_named_member(std::string_view json) {
  if (!json.starts_with('{')) return false;
  constexpr std::string_view kBlank = " \t\r\n";
  for (std::size_t sign = json.find(':'); sign != json.npos; sign = json.find(':', sign + 1)) {
    const std::size_t end = json.find_last_not_of(kBlank, sign - 1);
    const std::size_t begin = json.find_first_not_of(kBlank, sign + 1);
    if (begin == json.npos || json[end] != '"' || json[begin] != '"' || end == 0) continue;
    const std::size_t name = json.rfind('"', end - 1) + 1;
    const std::size_t last = std::min(json.find('"', begin + 1), json.size());
    const std::string_view value = json.substr(begin + 1, last - begin - 1);
    if (std::ranges::all_of(value, is_lower)) continue;  // `password`, of an example
    if (is_named_credential(json.substr(name, end - name), value)) return true;
  }
  return false;
}

/// Whether a word is base64 of a text that holds a credential of a known form.
std::optional<CredentialFinding> find_encoded(std::string_view word) {
  if (!is_encoded_text(word)) return std::nullopt;
  const std::string text = decoded(word);
  if (is_ngc_key(text)) return CredentialFinding{};
  for (const auto next : {find_private_key, next_token, find_login, find_in_address, find_parameter,
                          find_announced}) {
    if (const auto found = next(text, 0)) return found;
  }
  if (has_named_member(text)) return CredentialFinding{0, 0, {}, false, true};
  return std::nullopt;
}

constexpr std::string_view kRandomWord = "a key or token, a long word that only chance makes,";

/// Keys and tokens without a mark of their own: long words that only chance makes. A shorter one
/// could be a name, a longer one is data. Also base64 of a text that holds a credential.
std::optional<CredentialFinding> find_long_word(std::string_view text, std::size_t from) {
  constexpr std::size_t kLeast = 32;
  constexpr std::size_t kMost = 128;
  std::size_t begin = from;
  while (begin + kLeast <= text.size()) {
    // Seen from behind: most words are shorter, and their ends are passed over at once.
    std::size_t last = begin + kLeast;
    while (last > begin && is_base64(text[last - 1])) --last;
    if (last > begin) {
      begin = last;
      continue;
    }
    const std::size_t end = begin + run_length(text, begin, is_base64);
    const std::string_view word = text.substr(begin, end - begin);
    if (const auto encoded = find_encoded(word)) {
      return CredentialFinding{begin, end, "a credential in base64", false, encoded->by_place};
    }
    if (word.size() <= kMost && has_no_pattern(word) && !is_encoded_text(word) &&
        !is_known_to_be_public(text, begin, word) && !is_line_of_block(text, begin, end)) {
      return CredentialFinding{begin, end, kRandomWord, true};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::string words_of(std::string_view name) {
  std::string words = "_";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool starts_word = is_upper(c) && i > 0 && is_lower(name[i - 1]);
    if (starts_word) words += '_';
    words += is_alnum(c) ? static_cast<char>(is_upper(c) ? c - 'A' + 'a' : c) : '_';
  }
  return words + "_";
}

/// Tokens of a text or of a listing, which are called what tokens to log in with are called.
constexpr std::string_view kSymbols[] = {
    "pad",     "eos",   "bos",    "unk",         "sep",          "cls",      "mask",
    "image",   "video", "audio",  "speech",      "vision",       "special",  "stop",
    "start",   "end",   "think",  "tool",        "prefix",       "suffix",   "middle",
    "trigger", "class", "prompt", "register",    "eot",          "eod",      "next",
    "page",    "sync",  "per",    "placeholder", "continuation", "continue",
};

/// Whether the word before `token` says so; `words` as words_of makes them.
bool names_a_symbol(std::string_view words) {
  if (words.ends_with("_initial_cluster_token_"))
    return true;  // by which etcd tells clusters apart
  words.remove_suffix(std::string_view("_token_").size());
  return std::ranges::find(kSymbols, words.substr(words.rfind('_') + 1)) != std::end(kSymbols);
}

/// `pass` alone is a pass over something.
constexpr std::string_view kOwnersOfPasswords[] = {
    "_db_pass_",   "_user_pass_",  "_smtp_pass_",  "_mysql_pass_", "_postgres_pass_",
    "_pg_pass_",   "_redis_pass_", "_mongo_pass_", "_mail_pass_",  "_admin_pass_",
    "_root_pass_", "_ldap_pass_",  "_ssh_pass_",   "_proxy_pass_", "_registry_pass_"};

/// `hf-token`, `args.api_key`: the name of a Secret, or of a field in a program.
bool is_name_of_one(std::string_view value) {
  return value.find_first_not_of("abcdefghijklmnopqrstuvwxyz-._") == std::string_view::npos &&
         value.find_first_of("-._") != std::string_view::npos && !value.ends_with("word") &&
         names_a_credential(value);
}

/// `client.pem`: the name of a file beside it.
bool is_file_name(std::string_view value) {
  static constexpr std::string_view kEndings[] = {".pem", ".key",  ".crt", ".p12", ".json", ".yaml",
                                                  ".yml", ".toml", ".ini", ".txt", ".env"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return value.ends_with(ending); });
}

}  // namespace

std::optional<CredentialFinding> find_credential(std::string_view text) {
  if (text.size() < kShortestToken) {
    const auto found = find_in_address(text, 0);
    return found ? found : find_parameter(text, 0);
  }
  if (const auto key = find_private_key(text, 0)) return key;
  if (const auto token = next_token(text, 0)) return token;
  if (const auto key = find_login(text, 0)) return key;
  for (const auto next : {find_in_address, find_parameter, find_announced}) {
    if (const auto found = next(text, 0)) return found;
  }
  return find_long_word(text, 0);
}

std::vector<CredentialFinding> find_credentials(std::string_view text) {
  std::vector<CredentialFinding> found;
  for (const auto next : {find_private_key, next_token, find_login, find_in_address, find_parameter,
                          find_announced, find_long_word}) {
    for (auto one = next(text, 0); one; one = next(text, one->end)) found.push_back(*one);
  }
  make_disjoint(found);
  return found;
}

void make_disjoint(std::vector<CredentialFinding>& findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const CredentialFinding& finding : findings) {
    if (kept > 0 && finding.begin < findings[kept - 1].end) {
      findings[kept - 1].end = std::max(findings[kept - 1].end, finding.end);
    } else {
      findings[kept++] = finding;
    }
  }
  findings.resize(kept);
}

bool may_name_a_credential(std::string_view name) {
  constexpr std::size_t kTail = 3;
  static constexpr std::string_view kTails[] = {"ken", "ord", "swd", "ret", "key", "ial",
                                                "als", "ase", "pwd", "ass", "uth"};
  if (name.size() < kTail) return false;
  std::array<char, kTail> tail{};
  for (std::size_t i = 0; i < kTail; ++i) {
    const char c = name[name.size() - kTail + i];
    tail[i] = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::ranges::find(kTails, std::string_view(tail.data(), kTail)) != std::end(kTails);
}

bool names_a_credential(std::string_view name) {
  if (!may_name_a_credential(name)) return false;
  static constexpr std::string_view kEndings[] = {
      "_token_",        "password_",     "_passwd_",     "_secret_",      "_api_key_",
      "_apikey_",       "_secret_key_",  "_access_key_", "_private_key_", "_secret_access_key_",
      "_credential_",   "_credentials_", "_auth_token_", "_passphrase_",  "_account_key_",
      "_accesskey_",    "_secretkey_",   "_authtoken_",  "_apitoken_",    "_identitytoken_",
      "_registrytoken_"};
  const std::string words = words_of(name);
  const auto ends = [&](std::string_view ending) { return words.ends_with(ending); };
  if (ends("_token_")) return !names_a_symbol(words);
  if (ends("_pwd_")) return words != "_pwd_";  // which is a directory
  if (ends("_pass_")) return std::ranges::any_of(kOwnersOfPasswords, ends);
  return std::ranges::any_of(kEndings, ends);
}

/// `auth`, `_auth`, `REGISTRY_AUTH`: what stands there may be a user and a password in base64.
static bool names_an_authorization(std::string_view name) {
  return words_of(name).ends_with("_auth_");
}

/// `--tls-secret admission-certs`: programs for Kubernetes get the name of a Secret.
static bool is_name_of_object(std::string_view name, std::string_view value) {
  const std::string words = words_of(name);
  const bool is_of_program = name.starts_with("--") && words.ends_with("_secret_");
  if (!is_of_program && !words.ends_with("_credential_secret_")) return false;
  const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return value.find('-') != value.npos && std::ranges::all_of(value, in_name);
}

bool is_named_credential(std::string_view name, std::string_view value) {
  constexpr std::size_t kKeyDigits = 32;
  if (!may_name_a_credential(name)) return false;
  if (names_a_credential(name)) {
    return could_be_credential_value(value) && !is_name_of_one(value) && !is_file_name(value) &&
           !is_name_of_object(name, value);
  }
  if (names_an_authorization(name)) return is_encoded_login(value);
  return words_of(name).ends_with("_key_") && value.size() >= kKeyDigits &&
         std::all_of(value.begin(), value.end(), is_hex);
}

/// What people write where a value is still to come: `YOUR_HF_TOKEN`, `replace-me`, `hf_xxxxxxxx`.
static bool is_placeholder(std::string_view value) {
  constexpr std::size_t kShortest = 4;
  const std::string_view tail = value.substr(value.find_last_of("_-") + 1);  // all where none is
  const bool blank =
      tail.size() >= kShortest && std::string_view("xX*?").find(tail[0]) != tail.npos;
  if (blank && tail.find_first_not_of(tail[0]) == tail.npos) return true;
  if (std::ranges::any_of(value, [](char c) { return is_digit(c); })) return false;
  static constexpr std::string_view kFirst[] = {
      "_your_", "_replace_", "_insert_", "_enter_", "_placeholder_", "_todo_", "_change_me_"};
  static constexpr std::string_view kLast[] = {"_placeholder_", "_here_"};
  // For servers that look at no key, and clients that want one.
  static constexpr std::string_view kNone[] = {
      "_not_needed_", "_not_used_", "_not_required_", "_no_key_",   "_no_key_needed_",
      "_no_auth_",    "_noauth_",   "_unused_",       "_fake_key_", "_no_key_required_"};
  const bool of_open_ai = value.starts_with("sk-");
  const std::string words = words_of(of_open_ai ? value.substr(3) : value);
  if (std::ranges::find(kNone, words) != std::end(kNone)) return true;
  return std::ranges::any_of(kFirst, [&](auto word) { return words.starts_with(word); }) ||
         std::ranges::any_of(kLast, [&](auto word) { return words.ends_with(word); });
}

bool could_be_credential_value(std::string_view value) {
  constexpr std::string_view kEncrypted = "ENC[";  // by SOPS
  if (value.size() < 6 || is_reference(value) || value.starts_with(kEncrypted)) return false;
  if (value.find('/') == 0 || value.starts_with("./") || value.starts_with("~/")) return false;
  if (value.find("$(") != std::string_view::npos || value.find("${") != std::string_view::npos) {
    return false;
  }
  if (is_placeholder(value)) return false;
  const bool number = std::all_of(value.begin(), value.end(),
                                  [](char c) { return is_digit(c) || c == '.' || c == '-'; });
  return !number && value != "false" && value != "changeme";
}

bool CredentialWords::holds_one(std::string_view word) {
  return names_one(word) && !find_credential(word);
}

bool CredentialWords::names_one(std::string_view word) {
  const std::size_t equals = word.find('=');
  const bool is_option = word.starts_with('-');
  const std::string_view before = std::exchange(option_, {});
  if (before == "-H" || before == "--header") {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::size_t value = word.find_first_not_of(' ', std::min(colon + 1, word.size()));
    return value != std::string_view::npos &&
           is_named_credential(word.substr(0, colon), word.substr(value));
  }
  if (!before.empty() && !is_option && is_named_credential(before, word)) return true;
  if (equals == std::string_view::npos) {
    option_ = is_option ? word : std::string_view();
    return false;
  }
  return is_named_credential(word.substr(0, equals), word.substr(equals + 1));
}

}  // namespace trainyard
