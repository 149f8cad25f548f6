#include "cel/signatures.h"

#include <array>

namespace trainyard::cel {
namespace {

constexpr Style kGlobal = Style::Global;
constexpr Style kMember = Style::Member;

constexpr auto kSignatures = std::to_array<Signature>({
    // conversions; which values they take is known when they are called
    {"int", kGlobal, "dyn", "int"},
    {"uint", kGlobal, "dyn", "uint"},
    {"double", kGlobal, "dyn", "double"},
    {"string", kGlobal, "dyn", "string"},
    {"bytes", kGlobal, "dyn", "bytes"},
    {"bool", kGlobal, "dyn", "bool"},
    {"duration", kGlobal, "dyn", "google.protobuf.Duration"},
    {"timestamp", kGlobal, "dyn", "google.protobuf.Timestamp"},
    {"dyn", kGlobal, "dyn", "dyn"},
    {"type", kGlobal, "dyn", "type"},
    {"size", kGlobal, "string", "int"},
    {"size", kGlobal, "bytes", "int"},
    {"size", kGlobal, "list(dyn)", "int"},
    {"size", kGlobal, "map(dyn)", "int"},
    {"size", kMember, "string", "int"},
    {"size", kMember, "bytes", "int"},
    {"size", kMember, "list(dyn)", "int"},
    {"size", kMember, "map(dyn)", "int"},
    // texts
    {"contains", kMember, "string, string", "bool"},
    {"startsWith", kMember, "string, string", "bool"},
    {"endsWith", kMember, "string, string", "bool"},
    {"charAt", kMember, "string, int", "string"},
    {"indexOf", kMember, "string, string", "int"},
    {"indexOf", kMember, "string, string, int", "int"},
    {"lastIndexOf", kMember, "string, string", "int"},
    {"lastIndexOf", kMember, "string, string, int", "int"},
    {"lowerAscii", kMember, "string", "string"},
    {"upperAscii", kMember, "string", "string"},
    {"replace", kMember, "string, string, string", "string"},
    {"replace", kMember, "string, string, string, int", "string"},
    {"split", kMember, "string, string", "list(string)"},
    {"split", kMember, "string, string, int", "list(string)"},
    {"substring", kMember, "string, int", "string"},
    {"substring", kMember, "string, int, int", "string"},
    {"trim", kMember, "string", "string"},
    {"join", kMember, "list(string)", "string"},
    {"join", kMember, "list(string), string", "string"},
    {"strings.quote", kGlobal, "string", "string"},
    {"format", kMember, "string, list(dyn)", "string"},
    {"matches", kMember, "string, string", "bool"},
    {"matches", kGlobal, "string, string", "bool"},
    {"find", kMember, "string, string", "string"},
    {"findAll", kMember, "string, string", "list(string)"},
    {"findAll", kMember, "string, string, int", "list(string)"},
    // lists
    {"isSorted", kMember, "list(dyn)", "bool"},
    {"sum", kMember, "list(T)", "T"},
    {"min", kMember, "list(T)", "T"},
    {"max", kMember, "list(T)", "T"},
    {"indexOf", kMember, "list(T), T", "int"},
    {"lastIndexOf", kMember, "list(T), T", "int"},
    {"slice", kMember, "list(T), int, int", "list(T)"},
    {"flatten", kMember, "list(dyn)", "list(dyn)"},
    {"flatten", kMember, "list(dyn), int", "list(dyn)"},
    {"distinct", kMember, "list(T)", "list(T)"},
    {"reverse", kMember, "list(T)", "list(T)"},
    {"sort", kMember, "list(T)", "list(T)"},
    {"lists.range", kGlobal, "int", "list(int)"},
    {"sets.contains", kGlobal, "list(T), list(T)", "bool"},
    {"sets.equivalent", kGlobal, "list(T), list(T)", "bool"},
    {"sets.intersects", kGlobal, "list(T), list(T)", "bool"},
    // optional values
    {"optional.of", kGlobal, "T", "optional(T)"},
    {"optional.none", kGlobal, "", "optional(dyn)"},
    {"optional.ofNonZeroValue", kGlobal, "T", "optional(T)"},
    {"hasValue", kMember, "optional(dyn)", "bool"},
    {"value", kMember, "optional(T)", "T"},
    {"orValue", kMember, "optional(T), T", "T"},
    {"or", kMember, "optional(T), optional(T)", "optional(T)"},
    // quantities
    {"quantity", kGlobal, "string", "kubernetes.Quantity"},
    {"isQuantity", kGlobal, "string", "bool"},
    {"isInteger", kMember, "kubernetes.Quantity", "bool"},
    {"asInteger", kMember, "kubernetes.Quantity", "int"},
    {"asApproximateFloat", kMember, "kubernetes.Quantity", "double"},
    {"sign", kGlobal, "kubernetes.Quantity", "int"},
    {"compareTo", kMember, "kubernetes.Quantity, kubernetes.Quantity", "int"},
    {"isLessThan", kMember, "kubernetes.Quantity, kubernetes.Quantity", "bool"},
    {"isGreaterThan", kMember, "kubernetes.Quantity, kubernetes.Quantity", "bool"},
    {"add", kMember, "kubernetes.Quantity, kubernetes.Quantity", "kubernetes.Quantity"},
    {"add", kMember, "kubernetes.Quantity, int", "kubernetes.Quantity"},
    {"sub", kMember, "kubernetes.Quantity, kubernetes.Quantity", "kubernetes.Quantity"},
    {"sub", kMember, "kubernetes.Quantity, int", "kubernetes.Quantity"},
    // versions
    {"semver", kGlobal, "string", "kubernetes.Semver"},
    {"semver", kGlobal, "string, bool", "kubernetes.Semver"},
    {"isSemver", kGlobal, "string", "bool"},
    {"isSemver", kGlobal, "string, bool", "bool"},
    {"major", kMember, "kubernetes.Semver", "int"},
    {"minor", kMember, "kubernetes.Semver", "int"},
    {"patch", kMember, "kubernetes.Semver", "int"},
    {"compareTo", kMember, "kubernetes.Semver, kubernetes.Semver", "int"},
    {"isLessThan", kMember, "kubernetes.Semver, kubernetes.Semver", "bool"},
    {"isGreaterThan", kMember, "kubernetes.Semver, kubernetes.Semver", "bool"},
    // addresses
    {"ip", kGlobal, "string", "net.IP"},
    {"isIP", kGlobal, "string", "bool"},
    {"ip.isCanonical", kGlobal, "string", "bool"},
    {"family", kMember, "net.IP", "int"},
    {"isUnspecified", kMember, "net.IP", "bool"},
    {"isLoopback", kMember, "net.IP", "bool"},
    {"isLinkLocalMulticast", kMember, "net.IP", "bool"},
    {"isLinkLocalUnicast", kMember, "net.IP", "bool"},
    {"isGlobalUnicast", kMember, "net.IP", "bool"},
    {"cidr", kGlobal, "string", "net.CIDR"},
    {"isCIDR", kGlobal, "string", "bool"},
    {"containsIP", kMember, "net.CIDR, string", "bool"},
    {"containsIP", kMember, "net.CIDR, net.IP", "bool"},
    {"containsCIDR", kMember, "net.CIDR, string", "bool"},
    {"containsCIDR", kMember, "net.CIDR, net.CIDR", "bool"},
    {"ip", kMember, "net.CIDR", "net.IP"},
    {"prefixLength", kMember, "net.CIDR", "int"},
    {"masked", kMember, "net.CIDR", "net.CIDR"},
    {"url", kGlobal, "string", "kubernetes.URL"},
    {"isURL", kGlobal, "string", "bool"},
    {"getScheme", kMember, "kubernetes.URL", "string"},
    {"getHost", kMember, "kubernetes.URL", "string"},
    {"getHostname", kMember, "kubernetes.URL", "string"},
    {"getPort", kMember, "kubernetes.URL", "string"},
    {"getEscapedPath", kMember, "kubernetes.URL", "string"},
    {"getQuery", kMember, "kubernetes.URL", "map(list(string))"},
    // formats
    {"format.named", kGlobal, "string", "optional(kubernetes.NamedFormat)"},
    {"validate", kMember, "kubernetes.NamedFormat, string", "optional(list(string))"},
    {"format.dns1123Label", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.dns1123Subdomain", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.dns1035Label", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.qualifiedName", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.dns1123LabelPrefix", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.dns1123SubdomainPrefix", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.dns1035LabelPrefix", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.labelValue", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.uri", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.uuid", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.byte", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.date", kGlobal, "", "kubernetes.NamedFormat"},
    {"format.datetime", kGlobal, "", "kubernetes.NamedFormat"},
    // times
    {"getFullYear", kMember, "google.protobuf.Timestamp", "int"},
    {"getFullYear", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getMonth", kMember, "google.protobuf.Timestamp", "int"},
    {"getMonth", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getDate", kMember, "google.protobuf.Timestamp", "int"},
    {"getDate", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getDayOfMonth", kMember, "google.protobuf.Timestamp", "int"},
    {"getDayOfMonth", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getDayOfWeek", kMember, "google.protobuf.Timestamp", "int"},
    {"getDayOfWeek", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getDayOfYear", kMember, "google.protobuf.Timestamp", "int"},
    {"getDayOfYear", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getHours", kMember, "google.protobuf.Timestamp", "int"},
    {"getHours", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getMinutes", kMember, "google.protobuf.Timestamp", "int"},
    {"getMinutes", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getSeconds", kMember, "google.protobuf.Timestamp", "int"},
    {"getSeconds", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getMilliseconds", kMember, "google.protobuf.Timestamp", "int"},
    {"getMilliseconds", kMember, "google.protobuf.Timestamp, string", "int"},
    {"getHours", kMember, "google.protobuf.Duration", "int"},
    {"getMinutes", kMember, "google.protobuf.Duration", "int"},
    {"getSeconds", kMember, "google.protobuf.Duration", "int"},
    {"getMilliseconds", kMember, "google.protobuf.Duration", "int"},
    // what a request may do
    {"path", kMember, "Authorizer, string", "PathCheck"},
    {"group", kMember, "Authorizer, string", "GroupCheck"},
    {"serviceAccount", kMember, "Authorizer, string, string", "Authorizer"},
    {"resource", kMember, "GroupCheck, string", "ResourceCheck"},
    {"subresource", kMember, "ResourceCheck, string", "ResourceCheck"},
    {"namespace", kMember, "ResourceCheck, string", "ResourceCheck"},
    {"name", kMember, "ResourceCheck, string", "ResourceCheck"},
    {"fieldSelector", kMember, "ResourceCheck, string", "ResourceCheck"},
    {"labelSelector", kMember, "ResourceCheck, string", "ResourceCheck"},
    {"check", kMember, "PathCheck, string", "Decision"},
    {"check", kMember, "ResourceCheck, string", "Decision"},
    {"errored", kMember, "Decision", "bool"},
    {"error", kMember, "Decision", "string"},
    {"allowed", kMember, "Decision", "bool"},
    {"reason", kMember, "Decision", "string"},
});

/// `list(string)` of `optional(list(string))`; empty when the word is none of `name(...)`.
std::string_view inside(std::string_view word, std::string_view name) {
  if (!word.starts_with(name) || word.size() < name.size() + 2 || word[name.size()] != '(') {
    return {};
  }
  return word.substr(name.size() + 1, word.size() - name.size() - 2);
}

}  // namespace

std::span<const Signature> signatures() {
  return kSignatures;
}

std::vector<std::string_view> argument_words(const Signature& signature) {
  std::vector<std::string_view> words;
  std::string_view rest = signature.takes;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    words.push_back(rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 2);
  }
  return words;
}

TypeRef type_of_word(std::string_view word, TypeRef parameter, Types& types) {
  if (word == "T") return parameter;
  if (word == "dyn") return types.dynamic();
  if (const auto item = inside(word, "list"); !item.empty()) {
    return types.list(type_of_word(item, parameter, types));
  }
  if (const auto item = inside(word, "optional"); !item.empty()) {
    return types.optional(type_of_word(item, parameter, types));
  }
  if (const auto item = inside(word, "map"); !item.empty()) {
    return types.map(types.dynamic(), type_of_word(item, parameter, types));
  }
  for (Type kind = Type::Null; kind < Type::Opaque;
       kind = static_cast<Type>(static_cast<int>(kind) + 1)) {
    if (type_name(kind) == word) return types.simple(kind);
  }
  return types.object(std::string(word), {});
}

}  // namespace trainyard::cel
