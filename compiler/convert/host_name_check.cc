#include "convert/host_name_check.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_of_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
}

/// Whether `label` is the first label of the name of a pod: `<job>-<i>`, `<job>-<role>-<i>`,
/// `<job>-<role>-<job>-<i>` or that of the launcher of mpirun.
bool names_pod(std::string_view label, std::string_view job) {
  if (job.empty() || !label.starts_with(job)) return false;
  label.remove_prefix(job.size());
  if (!label.starts_with('-')) return false;
  label.remove_prefix(1);
  return label == "launcher" || is_all_digits(label.substr(label.rfind('-') + 1));
}

/// Names that a build gives otherwise.
struct OldNames {
  std::string_view job;
  std::vector<std::string_view> services;

  bool has_service(std::string_view label) const {
    return std::ranges::find(services, label) != services.end();
  }
};

/// The name of a host in a text, or an empty one: with a domain or a port behind it, since
/// directories and experiments are called after jobs, too. A Service may be the whole text.
std::string_view host_in(std::string_view text, const OldNames& names) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_of_host(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_host(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);
    const bool in_path = at > 0 && text[at - 1] == '/' && (at < 2 || text[at - 2] != '/');
    const bool with_port =
        end + 1 < text.size() && text[end] == ':' && is_all_digits(text.substr(end + 1, 1));
    const std::size_t dot = word.find('.');
    const bool with_domain = dot != word.npos && !is_all_digits(word.substr(dot + 1, 1));
    const std::string_view label = word.substr(0, dot);
    const bool is_host = !in_path && (with_port || with_domain);
    if (is_host && names_pod(label, names.job)) return word;
    if ((is_host || word == text) && names.has_service(label)) return word;
    at = end;
  }
  return {};
}

/// The hosts in texts of the spec; an image may be called as a pod is.
void collect(View at, const OldNames& names, std::set<std::string>& hosts) {
  if (!at || at->key == "image") return;
  if (const std::string_view host = host_in(at.text(), names); !host.empty()) hosts.emplace(host);
  for (View each : Items(at)) collect(each, names, hosts);
}

/// The first text of the input with a host in it.
View find_text(View at, std::string_view host) {
  if (!at || at->key == "image" || at->key == "subdomain") return {};
  if (at.text().find(host) != std::string_view::npos) return at;
  for (View each : Items(at)) {
    if (const View found = find_text(each, host)) return found;
  }
  return {};
}

/// Whether a build gives a pod of a program the same name: the program keeps its own, and its Jobs
/// stay as they are if it counts by itself; else the first one has all pods.
bool keeps_name(const Conversion& job, const ConvertedRole& program, std::string_view label) {
  const std::string begin = std::string(job.name) + "-" + program.name + "-";
  if (!label.starts_with(begin)) return false;
  label.remove_prefix(begin.size());
  const bool counts_by_itself = program.launcher == "none" &&
                                get(job.maker.view(program.fields), "framework").text() == "none";
  return counts_by_itself || label.starts_with("0-");
}

bool is_kept(const Conversion& job, std::string_view host) {
  const std::size_t dot = std::min(host.find('.'), host.size());
  const std::string_view domain = host.substr(std::min(dot + 1, host.size()));
  if (!job.has_programs || domain.substr(0, domain.find('.')) != job.name) return false;
  return std::ranges::any_of(job.roles, [&](const ConvertedRole& program) {
    return keeps_name(job, program, host.substr(0, dot));
  });
}

}  // namespace

void report_host_names(Conversion& job) {
  if (job.ours) return;  // a build for the same target gives its pods the same names
  OldNames names{job.name, {}};
  for (View each : job.ledger.watched()) {
    const std::string_view name = string_at(get(each, "metadata"), "name");
    if (string_at(each, "kind") == "Service" && name != job.name) names.services.push_back(name);
  }
  std::set<std::string> hosts;
  collect(job.maker.view(job.shared), names, hosts);
  for (const ConvertedRole& each : job.roles) {
    collect(job.maker.view(each.fields), names, hosts);
  }
  for (const auto& [name, fields] : job.further_roles) {
    collect(job.maker.view(fields), names, hosts);
  }
  for (const std::string& host : hosts) {
    if (is_kept(job, host)) continue;
    const bool of_service = names.has_service(std::string_view(host).substr(0, host.find('.')));
    const std::string_view why =
        of_service ? "` is a Service of this job, and a build makes one by another name"
                   : "` is how the controller names a pod of this job, and a build names pods by "
                     "its target and their roles";
    const std::string_view advice =
        job.has_programs ? "say `$(roles.NAME.address)` or `.addresses`, and `expose` in that role"
                         : "say `$(MASTER_ADDR)` for the node of rank 0, which a build sets "
                           "wherever ranks meet";
    job.ledger.lost(find_text(get(job.job, "spec"), host), "`" + host + std::string(why),
                    std::string(advice));
  }
}

}  // namespace trainyard
