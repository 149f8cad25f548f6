#include "driver/report/report_data.h"

#include <algorithm>
#include <utility>

#include "diag/words.h"
#include "picture/picture_svg.h"
#include "picture/picture_text.h"

namespace trainyard {
namespace {

constexpr std::string_view kNothing = "-1";
constexpr std::size_t kLongestLine = 20'000;  // code points

std::string member(std::string_view name, std::string_view json) {
  return "\"" + std::string(name) + "\":" + std::string(json);
}

std::string member(std::string_view name, std::int64_t number) {
  return member(name, std::to_string(number));
}

std::string optional_member(std::string_view name, const std::optional<std::int64_t>& number) {
  return member(name, number ? std::to_string(*number) : "null");
}

/// A line break inside of JSON is only ever layout.
std::string compact(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\n') {
      text += json[at];
      continue;
    }
    while (at + 1 < json.size() && json[at + 1] == ' ') ++at;
  }
  return text;
}

void redact(std::vector<Box>& boxes, CauseTexts& texts) {
  for (Box& box : boxes) {
    box.title = texts.words(box.title);
    for (std::string& line : box.lines) line = texts.words(line);
    redact(box.inside, texts);
  }
}

}  // namespace

std::string ReportData::line(std::string_view text) {
  return std::to_string(lines_.add(quoted(text)));
}

std::string ReportData::text(std::string_view text) {
  std::string numbers = "[";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (numbers.size() > 1) numbers += ',';
    numbers += line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers + "]";
}

std::string ReportData::text(FileId file, CauseTexts& texts) {
  if (file == kNoFile) return "null";
  std::string all;
  for (std::uint32_t number = 1; const auto shown = texts.line(file, number, kLongestLine);
       ++number) {
    all += *shown + '\n';
  }
  return text(all);
}

std::string ReportData::picture(const std::optional<Picture>& picture, CauseTexts& texts) {
  if (!picture) return member("picture", "null") + "," + member("described", "null");
  Picture shown = *picture;
  shown.title = texts.words(shown.title);
  for (std::string& each : shown.lines) each = texts.words(each);
  redact(shown.boxes, texts);
  for (Arrow& each : shown.arrows) each.label = texts.words(each.label);
  // Numbers follow the order of calls, which an expression leaves to the compiler.
  const std::string drawn = text(picture_svg(shown));
  const std::string described = text(picture_text(shown));
  return member("picture", drawn) + "," + member("described", described);
}

void ReportData::add(const ReportedCluster& cluster, CauseTexts& texts) {
  std::deque<std::string> pools;
  for (const PoolUse& each : cluster.use.pools) {
    pools.push_back("{" + member("name", quoted(texts.words(each.name))) + "," +
                    member("about", quoted(texts.words(each.about))) + "," +
                    optional_member("nodes", each.nodes) + "," + member("gpus", each.gpus) + "," +
                    member("taken", each.taken) + "}");
  }
  std::deque<std::string> queues;
  for (const QueueUse& each : cluster.use.queues) {
    std::deque<std::string> amounts;
    for (const QueueAmount& amount : each.amounts) {
      amounts.push_back(quoted(texts.words(words(amount))));
    }
    queues.push_back("{" + member("name", quoted(texts.words(each.name))) + "," +
                     member("known", each.is_known ? "true" : "false") + "," +
                     member("amounts", json_list(amounts)) + "," +
                     optional_member("quota", each.gpu_quota) + "," + member("jobs", each.jobs) +
                     "," + member("pods", each.pods) + "," + member("gpus", each.gpus) + "}");
  }
  clusters_.push_back("{" + member("name", quoted(texts.words(cluster.name))) + "," +
                      member("pools", json_list(pools)) + "," +
                      member("queues", json_list(queues)) + "," + picture(cluster.picture, texts) +
                      "}");
}

std::string ReportData::job(const ReportedJob& job, CauseTexts& texts) {
  return "{" + member("name", quoted(texts.words(job.demand.job))) + "," +
         member("namespace", quoted(texts.words(job.name_space))) + "," +
         member("queue", quoted(texts.words(job.demand.queue))) + "," +
         member("pods", job.demand.pods) + "," + member("gpus", job.demand.gpus) + "," +
         picture(job.picture, texts) + "," + member("whyNone", quoted(texts.words(job.why_none))) +
         "}";
}

std::size_t ReportData::step(const Cause& cause, std::string_view spec) {
  Cause known = cause;
  if (known.file == spec) known.file.clear();  // its lines tell it from a step without a place
  const std::string key = known.kind + "\n" + known.name + "\n" + known.file + "\n" +
                          std::to_string(known.line) + "," + std::to_string(known.depth);
  const auto [number, is_new] = known_steps_.try_emplace(key, steps_.size());
  if (is_new) steps_.push_back(std::move(known));
  return number->second;
}

std::string ReportData::leaves(const Provenance& causes, std::string_view spec) {
  std::string numbers = "[";
  for (const ProvenanceEntry& entry : causes) {
    std::string chain = "[";
    for (const Cause& cause : entry.causes) {
      if (chain.size() > 1) chain += ',';
      chain += std::to_string(step(cause, spec));
    }
    if (numbers.size() > 1) numbers += ',';
    numbers += std::to_string(entry.first_line) + "," + std::to_string(entry.last_line) + "," +
               std::to_string(chains_.add(chain + "]"));
  }
  return numbers + "]";
}

void ReportData::need(CauseTexts& texts) const {
  for (std::size_t i = finished_steps_.size(); i < steps_.size(); ++i) {
    if (!steps_[i].file.empty()) texts.need(steps_[i].file);
  }
}

void ReportData::finish_steps(CauseTexts& texts) {
  const auto or_nothing = [this](std::string_view text) {
    return text.empty() ? std::string(kNothing) : line(text);
  };
  for (std::size_t i = finished_steps_.size(); i < steps_.size(); ++i) {
    const Cause& step = steps_[i];
    std::string told;
    if (!step.file.empty()) told = texts.line(step.file, step.line).value_or("");
    if (step.kind == "rule") told = sentence_of_rule(step.name);
    std::string finished = "[" + line(step.kind);
    finished += "," + or_nothing(texts.words(step.name));
    finished += "," + or_nothing(texts.words(step.file));
    finished += "," + std::to_string(step.line) + "," + std::to_string(step.depth);
    finished += "," + or_nothing(told);
    finished_steps_.push_back(finished + "]");
  }
}

void ReportData::add(const ReportedFile& file, CauseTexts& texts) {
  std::deque<std::string> jobs;
  for (const ReportedJob& each : file.jobs) jobs.push_back(job(each, texts));
  const std::string spec = text(file.spec, texts);
  const std::string made = text(file.made, texts);
  files_.push_back("{" + member("path", quoted(texts.words(file.path))) + "," +
                   member("cluster", static_cast<std::int64_t>(file.cluster)) + "," +
                   member("spec", spec) + "," + member("made", made) + "," +
                   member("leaves", file.leaves.empty() ? "[]" : file.leaves) + "," +
                   member("jobs", json_list(jobs)) + "}");
}

void ReportData::add_findings(std::string_view rendered) {
  findings_.push_back(compact(rendered));
}

std::string ReportData::json(std::string_view title) const {
  return "{" + member("title", quoted(title)) + ",\n" + member("clusters", json_list(clusters_)) +
         ",\n" + member("files", json_list(files_)) + ",\n" +
         member("findings", json_list(findings_)) + ",\n" + member("lines", lines_.json()) + ",\n" +
         member("steps", json_list(finished_steps_)) + ",\n" + member("chains", chains_.json()) +
         "}\n";
}

}  // namespace trainyard
