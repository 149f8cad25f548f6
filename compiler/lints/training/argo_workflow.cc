// Names within a workflow of Argo: argoproj/argo-workflows workflow/validate/validate.go.

#include "lints/training/argo_workflow.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/schedule.h"
#include "admission/time_zones.h"
#include "diag/words.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_filled_later(std::string_view text) {
  return text.find("{{") != text.npos;
}

View named(const Items& list, std::string_view name) {
  for (View each : list) {
    if (string_at(each, "name") == name) return each;
  }
  return {};
}

bool has_name(const Items& list, std::string_view name) {
  return static_cast<bool>(named(list, name));
}

/// The tasks of a template: those of its graph, or of its steps.
struct Tasks {
  std::vector<View> all;
  bool is_graph = false;

  View find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(all, [name](View each) { return string_at(each, "name") == name; });
    return found == all.end() ? View() : *found;
  }
};

Tasks tasks_of(View task_template) {
  Tasks tasks;
  for (View each : items_at(get(task_template, "dag"), "tasks")) {
    tasks.all.push_back(each);
    tasks.is_graph = true;
  }
  for (View group : items_at(task_template, "steps")) {
    for (View each : Items(group)) tasks.all.push_back(each);
  }
  return tasks;
}

/// The names in `a.Succeeded && (b || !c)`.
std::vector<std::string_view> names_in(std::string_view depends) {
  std::vector<std::string_view> found;
  const auto is_of_name = [](char c) {
    return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  for (std::size_t i = 0; i < depends.size();) {
    if (!is_of_name(depends[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < depends.size() && is_of_name(depends[end])) ++end;
    if (i == 0 || depends[i - 1] != '.') found.push_back(depends.substr(i, end - i));
    i = end;
  }
  return found;
}

class Workflow {
 public:
  Workflow(View spec, CheckContext& context)
      : spec_(spec), templates_(items_at(spec, "templates")), context_(context) {}

  void check(bool is_run) {
    if (templates_.begin() == templates_.end() || get(spec_, "workflowTemplateRef")) return;
    if (is_run) named_template(get(spec_, "entrypoint"));
    named_template(get(spec_, "onExit"));
    for (View each : templates_) {
      const Tasks tasks = tasks_of(each);
      for (View task : tasks.all) check_task(task, tasks);
    }
  }

 private:
  void named_template(View name) {
    const std::string_view text = string_of(name);
    if (text.empty() || is_filled_later(text) || has_name(templates_, text)) return;
    context_.lint(name, "there is no template " + shown(text));
  }

  void check_task(View task, const Tasks& tasks) {
    named_template(get(task, "template"));
    if (tasks.is_graph) dependencies(task, tasks);
    inputs(task);
    for (View each : items_at(get(task, "arguments"), "parameters")) {
      outputs(get(each, "value"), tasks);
    }
  }

  void dependencies(View task, const Tasks& tasks) {
    const auto one = [&](View at, std::string_view name) {
      if (name == string_at(task, "name")) {
        context_.lint(at, "task " + shown(name) + " waits for itself");
      } else if (!tasks.find(name)) {
        context_.lint(at, "there is no task " + shown(name));
      }
    };
    const View depends = get(task, "depends");
    if (!is_filled_later(string_of(depends))) {
      for (std::string_view name : names_in(string_of(depends))) one(depends, name);
    }
    for (View each : items_at(task, "dependencies")) {
      if (!is_filled_later(string_of(each))) one(each, string_of(each));
    }
  }

  /// What the template of a task wants and the task does not give.
  void inputs(View task) {
    const View called = named(templates_, string_at(task, "template"));
    if (!called || string_at(task, "template").empty()) return;
    for (View input : items_at(get(called, "inputs"), "parameters")) {
      const std::string_view name = string_at(input, "name");
      if (get(input, "value") || get(input, "default") || get(input, "valueFrom")) continue;
      if (has_name(items_at(get(task, "arguments"), "parameters"), name)) continue;
      context_
          .lint(get(task, "template"), "template " + shown(string_at(called, "name")) +
                                           " wants a parameter " + shown(name) +
                                           ", which the task does not give it")
          .also(context_.place(get(input, "name")), "wanted here");
    }
  }

  /// `{{tasks.NAME.outputs.parameters.PARAMETER}}`
  void outputs(View value, const Tasks& tasks) {
    const std::string_view text = string_of(value);
    const std::string_view scheme = tasks.is_graph ? "{{tasks." : "{{steps.";
    for (std::size_t at = text.find(scheme); at != text.npos; at = text.find(scheme, at + 1)) {
      std::string_view rest = text.substr(at + scheme.size());
      rest = rest.substr(0, rest.find("}}"));
      const std::size_t dot = rest.find('.');
      constexpr std::string_view kOutputs = ".outputs.parameters.";
      if (dot == rest.npos || !rest.substr(dot).starts_with(kOutputs)) continue;
      const std::string_view name = rest.substr(0, dot);
      const std::string_view output = rest.substr(dot + kOutputs.size());
      const View task = tasks.find(name);
      if (!task) {
        context_.lint(value, "there is no task " + shown(name));
        continue;
      }
      const View called = named(templates_, string_at(task, "template"));
      if (!called || string_at(task, "template").empty()) continue;
      if (has_name(items_at(get(called, "outputs"), "parameters"), output)) continue;
      context_
          .lint(value,
                "template " + shown(string_at(called, "name")) + " has no output " + shown(output))
          .also(context_.place(get(called, "name")), "the template");
    }
  }

  View spec_;
  Items templates_;
  CheckContext& context_;
};

}  // namespace

namespace {

/// workflow/validate/validate.go ValidateCronWorkflow
void check_times(View spec, CheckContext& context) {
  std::vector<View> schedules;
  for (View each : items_at(spec, "schedules")) schedules.push_back(each);
  if (const View one = get(spec, "schedule")) schedules.push_back(one);
  for (View each : schedules) {
    const std::string_view text = string_of(each);
    if (text.empty() || text.find("TZ") != text.npos || is_filled_later(text)) continue;
    if (const Fault fault = why_no_schedule(text)) {
      context.lint(each, "schedule " + shown(text) + " " + *fault);
    }
  }
  const View zone = get(spec, "timezone");
  if (string_of(zone).empty() || is_filled_later(zone->text) || is_time_zone(zone->text)) return;
  context.lint(zone, "there is no time zone " + shown(zone->text));
}

}  // namespace

void check_workflow(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "CronWorkflow") {
    check_times(spec, context);
    Workflow(get(spec, "workflowSpec"), context).check(true);
  } else {
    // Of a library, others run single templates.
    Workflow(spec, context).check(kind == "Workflow");
  }
}

}  // namespace trainyard
