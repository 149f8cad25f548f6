#include "driver/picture/job_picture.h"

#include <algorithm>
#include <map>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/picture/drawn_pod.h"
#include "driver/plan/training_terms.h"
#include "manifest/gang.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Of so many pods each has a box of its own.
constexpr std::int64_t kPodsOneByOne = 8;

std::string ranks_line(const RankRange& ranks) {
  return ranks.first == ranks.last
             ? "rank " + std::to_string(ranks.first)
             : "ranks " + std::to_string(ranks.first) + " to " + std::to_string(ranks.last);
}

Workload workload_of(View object) {
  return read_workload(object, group_of(string_at(object, "apiVersion")),
                       string_at(object, "kind"));
}

/// A Job of Volcano is a gang of as many pods as it says, by default of all.
bool start_together(const Workload& workload) {
  if (!workload.is("batch.volcano.sh", "Job")) return has_gang(workload);
  return integer_at(workload.spec, "minAvailable").value_or(workload.pods()) >= workload.pods();
}

/// A volume of one or several roles.
struct SharedVolume {
  DrawnVolume volume;
  std::vector<std::string> roles;
};

/// A role, and what tells whether others speak to it.
struct RoleAddress {
  std::string id;
  std::string host;  // of its first pod
};

class JobPainter {
 public:
  JobPainter(Session& session, const JobsOfInputs& inputs, const InputJob& job)
      : session_(session), inputs_(inputs), job_(job), maker_(tree_, *job.origins) {}

  std::optional<Picture> paint() {
    std::vector<std::string> notes;
    const View object = inputs_.maker_of_pods(maker_, job_, notes);
    if (!object) return std::nullopt;
    workload_ =
        read_workload(object, group_of(string_at(object, "apiVersion")), string_at(object, "kind"));
    kind_ = find_pod_kind(object);
    const std::vector<PodRole> roles = kind_->roles(object);
    if (!inputs_.has_few_pods(job_, roles)) return std::nullopt;
    for (const PodRole& role : roles) {
      if (role.count > 0 && !add_role(object, role)) return std::nullopt;
    }
    add_title(roles);
    add_volumes();
    add_talk();
    return std::move(picture_);
  }

 private:
  void add_title(const std::vector<PodRole>& roles) {
    std::int64_t pods = 0;
    for (const PodRole& each : roles) pods += each.count;
    picture_.title = foreign_text(job_label(job_.object)) + ": " + plural(pods, "pod");
    if (gpus_ != 0) picture_.title += ", " + plural(gpus_, "GPU");
    const std::string_view name_space = string_at(get(job_.object, "metadata"), "namespace");
    if (!name_space.empty()) picture_.lines.push_back("namespace " + foreign_text(name_space));
    const TrainingTerms terms = terms_of(job_.object);
    const bool is_gang = start_together(workload_) || start_together(workload_of(job_.object));
    if (!terms.queue.empty()) {
      std::vector<std::string> lines;
      if (!terms.priority.empty()) lines.push_back("priority " + terms.priority);
      if (is_gang) lines.emplace_back("starts all pods together");
      picture_.boxes.insert(picture_.boxes.begin(), Box{.title = "queue " + terms.queue,
                                                        .lines = std::move(lines),
                                                        .kind = BoxKind::Queue,
                                                        .id = "queue",
                                                        .column = 0});
      for (const RoleAddress& each : addresses_) picture_.arrows.push_back({"queue", each.id, {}});
    } else if (pods > 1) {
      picture_.lines.emplace_back(is_gang ? "all pods start together"
                                          : "nothing starts all pods together");
    }
  }

  EffectivePod make(View object, const PodRole& role, std::int64_t index) {
    return kind_->pod(maker_, object, role.name, index, inputs_.versions().kubernetes);
  }

  bool add_role(View object, const PodRole& role) {
    const EffectivePod first = make(object, role, 0);
    if (!first.failure.empty()) {
      session_.sink.report(DiagnosticKind::NoSuchPod, inputs_.place(job_), first.failure);
      return false;
    }
    const View pod = maker_.view(first.root);
    Box box{.title = "role " + foreign_text(role.name), .id = "role " + role.name};
    add_lines(pod, role.count, box);
    addresses_.push_back({box.id, first.address.empty() ? first.hostname : first.address});
    first_pods_.push_back(pod);
    count_gpus(pod, role.count);
    box.inside.push_back(pod_box(first, 0));
    if (role.count <= kPodsOneByOne) {
      for (std::int64_t i = 1; i < role.count; ++i) {
        box.inside.push_back(pod_box(make(object, role, i), i));
      }
    } else {
      box.inside.push_back(
          folded_box(make(object, role, 1), make(object, role, role.count - 1), role.count));
    }
    collect_volumes(pod, role.name);
    picture_.boxes.push_back(std::move(box));
    return true;
  }

  static void add_lines(View pod, std::int64_t count, Box& box) {
    std::string pods = plural(count, "pod");
    for (const std::string& each : equipment_of(pod)) {
      const bool is_first = pods.find(" with ") == pods.npos;
      pods += (!is_first ? ", " : count == 1 ? " with " : ", each with ") + foreign_text(each);
    }
    box.lines.push_back(std::move(pods));
    box.lines.push_back("image " + foreign_text(string_at(main_container(pod), "image")));
    const std::string meeting = meeting_of(pod);
    if (!meeting.empty()) box.lines.push_back("ranks meet at " + foreign_text(meeting));
  }

  void count_gpus(View pod, std::int64_t pods) {
    Devices devices;
    for (View each : items_at(get(pod, "spec"), "containers")) {
      devices = devices + devices_of(get(each, "resources"));
    }
    gpus_ += multiplied_counts(pods, devices.whole);
  }

  std::optional<RankRange> ranks(const EffectivePod& pod, std::int64_t index) const {
    return ranks_of(workload_, maker_.view(pod.root), index);
  }

  Box pod_box(const EffectivePod& pod, std::int64_t index) const {
    Box box{.title = "pod " + std::to_string(index), .kind = BoxKind::Pods};
    if (const auto found = ranks(pod, index)) box.lines.push_back(ranks_line(*found));
    box.lines.push_back(foreign_text(pod.hostname));
    return box;
  }

  /// The pods from the second to the last one.
  Box folded_box(const EffectivePod& second, const EffectivePod& last, std::int64_t count) const {
    Box box{.title = "pods 1 to " + std::to_string(count - 1), .kind = BoxKind::Pods};
    const auto from = ranks(second, 1);
    const auto to = ranks(last, count - 1);
    if (from && to) box.lines.push_back(ranks_line({from->first, to->last}));
    box.lines.push_back(foreign_text(second.hostname) + " to " + foreign_text(last.hostname));
    return box;
  }

  void collect_volumes(View pod, const std::string& role) {
    for (DrawnVolume& each : volumes_of(pod)) {
      std::string key = each.name + '\n' + each.source;
      for (const std::string& line : each.lines) key += '\n' + line;
      const auto [known, is_new] = volume_of_.try_emplace(std::move(key), volumes_.size());
      if (is_new) volumes_.push_back({std::move(each), {}});
      volumes_[known->second].roles.push_back(role);
    }
  }

  void add_volumes() {
    for (const auto& [volume, roles] : volumes_) {
      Box box{.title = foreign_text(volume.source),
              .kind = BoxKind::Volume,
              .id = "volume " + std::to_string(picture_.boxes.size()),
              .column = 2};
      for (const std::string& line : volume.lines) box.lines.push_back(foreign_text(line));
      for (const std::string& role : roles) {
        picture_.arrows.push_back({"role " + role, box.id, {}});
      }
      picture_.boxes.push_back(std::move(box));
    }
  }

  /// An arrow from each role whose containers name the first pod of another.
  void add_talk() {
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      for (std::size_t j = 0; j < addresses_.size(); ++j) {
        if (i == j || addresses_[j].host.empty()) continue;
        if (!names(get(first_pods_[i], "spec"), addresses_[j].host)) continue;
        picture_.arrows.push_back(
            {addresses_[i].id, addresses_[j].id, "finds it by its host name"});
      }
    }
  }

  /// Whether a text in `value` has the host name, not as a part of a longer one.
  static bool names(View value, std::string_view host) {
    if (value.kind() == Kind::String) {
      const std::string_view text = value.text();
      const auto in_name = [](char c) {
        return c == '-' || c == '.' || is_digit(c) || is_lower(c);
      };
      for (std::size_t at = text.find(host); at != text.npos; at = text.find(host, at + 1)) {
        const std::size_t end = at + host.size();
        const bool starts = at == 0 || !in_name(text[at - 1]);
        if (starts && (end == text.size() || text[end] == '.' || !in_name(text[end]))) return true;
      }
      return false;
    }
    const Items items(value->is_map() || value->is_seq() ? value : View());
    return std::any_of(items.begin(), items.end(),
                       [&](View each) { return each && names(each, host); });
  }

  Session& session_;
  const JobsOfInputs& inputs_;
  const InputJob& job_;
  Tree tree_;  // of what controllers make
  PodBuilder maker_;
  Workload workload_;
  const PodKind* kind_ = nullptr;
  Picture picture_;
  std::int64_t gpus_ = 0;
  std::vector<SharedVolume> volumes_;
  std::map<std::string, std::size_t> volume_of_;  // by all that is drawn of it
  std::vector<RoleAddress> addresses_;
  std::vector<View> first_pods_;
};

}  // namespace

std::optional<Picture> job_picture(Session& session, const JobsOfInputs& inputs,
                                   const InputJob& job) {
  return JobPainter(session, inputs, job).paint();
}

}  // namespace trainyard
