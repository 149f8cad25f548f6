#include <algorithm>

#include "cli/commands.h"
#include "diag/foreign_text.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/build/build.h"
#include "driver/starter/shipped_examples.h"
#include "driver/starter/starter.h"
#include "schema/names.h"

namespace trainyard {
namespace {

std::vector<std::string> frameworks() {
  std::vector<std::string> names;
  for (const Starter& each : starters()) names.emplace_back(each.framework);
  return names;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const ShippedExample& each : shipped_examples()) names.emplace_back(each.name);
  return names;
}

class NewCommand : public Command {
 public:
  std::string_view name() const override { return "new"; }
  std::string_view summary() const override { return "Write a first spec, or copy an example"; }
  std::string_view description() const override {
    return "Writes a spec with a comment on each line that you may want to change, and says what "
           "to run next. It builds the spec first; with a finding that is an error, it writes "
           "nothing. On a terminal it asks for what the call leaves open; `--yes` takes the "
           "defaults. Elsewhere it never asks, and needs `--name`.\n\n`--from` copies an "
           "example of `trainyard list examples`, and its Cluster if it has one. No file is "
           "overwritten.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard new", "Asks, and writes NAME.yaml."},
            {"trainyard new --name llama --nodes 4 --cluster cluster.yaml --queue research",
             "Without questions, for a cluster."},
            {"trainyard new --from gke-a3-mega", "An example, with its Cluster."}};
  }

  Arguments arguments() override {
    return {
        option("name", "NAME", "Name of the job; the file is NAME.yaml", choices_.name),
        {.name = "framework",
         .value = "WORD",
         .help = "What the program is written with",
         .kind = ValueKind::Word,
         .words = frameworks(),
         .into = &framework_},
        option("image", "IMAGE", "Image of the program", choices_.image),
        option("nodes", "NUMBER", "How many nodes", nodes_),
        option("machine", "MACHINE", "Machine of the catalogue: `trainyard list machines`",
               choices_.machine),
        cluster_argument(cluster_),
        option("target", "TARGET", "Kind of job: `trainyard list targets`", choices_.target),
        option("data", "DATA", "A claim, or an address such as s3://bucket/data", choices_.data),
        option("queue", "QUEUE", "Queue of the job", choices_.queue),
        option("namespace", "NAME", "Namespace of the job", choices_.name_space),
        {.name = "from",
         .value = "EXAMPLE",
         .help = "Copy this example",
         .kind = ValueKind::Word,
         .words = example_names(),
         .into = &from_},
        {.name = "out",
         .letter = 'o',
         .value = "FILE",
         .help = "Write to this file, which must not exist; - for standard output",
         .kind = ValueKind::File,
         .into = &out_},
        {.name = "yes", .letter = 'y', .help = "Ask nothing: take the defaults", .into = &yes_},
        templates_argument(options_.templates)};
  }

  ExitCode run(Io& io) override { return from_.empty() ? write_new(io) : copy_example(io); }

 private:
  /// A choice: its option, and how to ask for it. `what` is "" for what is not asked.
  struct Question {
    std::string_view option;
    std::string what;
    std::string otherwise;  // the default; "" for none
    std::string& into;
    std::string (NewCommand::*fault)(Session&) const;  // "" for a good value
  };

  static CallArgument option(std::string_view name, std::string_view value, std::string_view help,
                             std::string& into) {
    return {.name = std::string(name),
            .value = std::string(value),
            .help = std::string(help),
            .into = &into};
  }

  std::vector<Question> questions() {
    return {{"name", "Name of the job", "train", choices_.name, &NewCommand::fault_of_name},
            {"framework", "Framework (" + listed_words(frameworks()) + ")", "pytorch", framework_,
             &NewCommand::fault_of_framework},
            {"image", "Image", "", choices_.image, &NewCommand::no_fault},
            {"nodes", "Nodes", "1", nodes_, &NewCommand::fault_of_nodes},
            {"cluster", "Cluster document (Enter for none)", "", cluster_,
             &NewCommand::fault_of_cluster},
            {"machine", "Machine (Enter to leave it open)", "", choices_.machine,
             &NewCommand::fault_of_machine},
            {"target", "Target (Enter for the default)", "", choices_.target,
             &NewCommand::fault_of_target},
            {"data", "Data, a claim or an address (Enter for none)", "", choices_.data,
             &NewCommand::no_fault},
            {"queue", "Queue (Enter for none)", "", choices_.queue, &NewCommand::no_fault}};
  }

  ExitCode write_new(Io& io) {
    Session session(io.env);
    prepare(session, options_);
    if (session.sink.has_errors()) return finish(io, session);
    if (const auto code = choose(io, session)) return *code;
    const std::string path = out_.empty() ? choices_.name + ".yaml" : out_;
    if (!is_free(io, path)) return finish_taken(io, path);
    choices_.framework = framework_;
    choices_.nodes = nodes_;
    const std::string spec = starter_spec(session, choices_, document_.get());
    const ExitCode built = try_build(io, spec);
    if (built != ExitCode::Good) return built;
    const ExitCode written = write(io, session, path, spec);
    if (written == ExitCode::Good) tell_next(io, path, cluster_);
    return written;
  }

  /// Takes the choices of the call, and asks for the others. The exit code where that fails.
  std::optional<ExitCode> choose(Io& io, Session& session) {
    for (Question& each : questions()) {
      if (each.option == "queue") offer_queues(each);
      if (const auto code = settle(io, session, each)) return code;
      if (each.option != "cluster" || cluster_.empty()) continue;
      document_ = read_cluster(session, cluster_);
      if (document_ == nullptr || session.sink.has_errors()) return finish(io, session);
    }
    return std::nullopt;
  }

  std::optional<ExitCode> settle(Io& io, Session& session, Question& question) {
    const bool asks = io.ask && !yes_;
    if (!question.into.empty()) {
      const std::string fault = (this->*question.fault)(session);
      if (fault.empty()) return std::nullopt;
      return wrong_call(io,
                        "`--" + std::string(question.option) + " " + question.into + "`: " + fault);
    }
    if (!asks && question.option == "name") {
      return wrong_call(io, "`new` needs `--name`, or a terminal on which it can ask");
    }
    const bool is_told = question.option == "machine" && !cluster_.empty();
    if (!asks || is_told) {
      question.into = question.otherwise;
    } else if (!ask(io, session, question)) {
      return wrong_call(io, "no answer: nothing was written");
    }
    return std::nullopt;
  }

  /// Those of the Cluster; the only one is the default, for jobs without it may start in part.
  void offer_queues(Question& question) const {
    if (document_ == nullptr) return;
    std::vector<std::string> names;
    for (const auto& queue : *document_->cluster.spec->queues) names.emplace_back(*queue->name);
    if (names.size() == 1) question.otherwise = names.front();
    if (names.size() == 1) question.what = "Queue";
    if (names.size() > 1) question.what = "Queue (" + listed_words(names) + "; Enter for none)";
  }

  bool ask(Io& io, Session& session, Question& question) {
    std::string otherwise = question.otherwise;
    if (question.option == "image") otherwise = find_starter(framework_)->image;
    std::string fault;
    do {
      std::string text = fault.empty() ? "" : foreign_text(fault) + "\n";
      text += std::string(question.what) + (otherwise.empty() ? "" : " [" + otherwise + "]") + ": ";
      const auto answer = io.ask(text);
      if (!answer) return false;
      question.into = answer->empty() ? otherwise : *answer;
      fault = question.into.empty() ? "" : (this->*question.fault)(session);
    } while (!fault.empty());
    if (question.option == "image" && question.into == otherwise) question.into.clear();
    return true;
  }

  std::string no_fault(Session&) const { return {}; }
  std::string fault_of_name(Session&) const {
    const Fault fault = why_not_dns_label(choices_.name);
    return fault ? "the name " + *fault : "";
  }
  std::string fault_of_framework(Session&) const {
    return find_starter(framework_) != nullptr ? "" : "one of " + listed_words(frameworks());
  }
  std::string fault_of_nodes(Session&) const {
    const bool is_number = !nodes_.empty() && nodes_.size() < 6 && nodes_.front() != '0' &&
                           nodes_.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? "" : "expected a number of nodes from 1 on";
  }
  std::string fault_of_cluster(Session& session) const {
    return session.env.files.exists(cluster_) ? "" : "there is no such file";
  }
  std::string fault_of_machine(Session& session) const {
    if (session.machines.find(choices_.machine) != nullptr) return {};
    return guessed("the catalogue has no such machine", choices_.machine, session.machines.names());
  }
  std::string fault_of_target(Session& session) const {
    std::vector<std::string> names;
    for (const TargetFacts* each : session.all_targets()) names.emplace_back(each->name);
    if (std::ranges::find(names, choices_.target) != names.end()) return {};
    return guessed("there is no such target", choices_.target, names);
  }

  static std::string guessed(std::string message, std::string_view word,
                             const std::vector<std::string>& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = suggest_whole(word, views);
    return near ? message + "; did you mean " + shown(*near) + "?" : message;
  }

  static std::string listed_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
    return text;
  }

  /// What a build says of the spec, before it is written.
  ExitCode try_build(Io& io, const std::string& spec) {
    Env env{io.env.files, [&spec](std::size_t) {
              FileRead read;
              read.text = spec;
              return read;
            }};
    Session session(env);
    prepare(session, options_);
    BuildRequest request;
    request.inputs = {"-"};
    request.cluster = cluster_;
    build(session, request);
    return finish(io, session);
  }

  static bool is_free(Io& io, const std::string& path) {
    return path == "-" || !io.env.files.exists(path);
  }

  static ExitCode finish_taken(Io& io, const std::string& path) {
    Session session(io.env);
    session.sink
        .report(DiagnosticKind::OutputConflict, {},
                shown(path) + " already exists, and is unchanged")
        .note("`-o FILE` names another file, `-o -` prints the spec");
    return finish(io, session);
  }

  static ExitCode write(Io& io, Session& session, const std::string& path, std::string_view text) {
    if (path == "-") {
      io.out += text;
    } else if (const auto problem = io.env.files.write(path, text)) {
      session.sink.report(DiagnosticKind::OutputFailed, {},
                          shown(path) + " cannot be written: " + problem->message);
      return finish(io, session);
    } else {
      tell_done(io, "wrote", path);
    }
    return ExitCode::Good;
  }

  static void tell_next(Io& io, const std::string& path, const std::string& cluster) {
    if (path == "-") return;
    const std::string option = cluster.empty() ? "" : " --cluster " + cluster;
    io.err += "next: edit it, then\n  trainyard build " + foreign_text(path + option) +
              "\n  trainyard build " + foreign_text(path + option) +
              " | kubectl apply --server-side -f -\n";
  }

  ExitCode copy_example(Io& io) {
    const ShippedExample* example = find_example(from_);
    if (example == nullptr) {
      return wrong_call(io, guessed("there is no example " + shown(from_), from_, example_names()) +
                                "; `trainyard list examples` lists them");
    }
    const std::string name(example->name);
    const std::string path = out_.empty() ? name + ".yaml" : out_;
    const std::string cluster =
        example->cluster.empty() || path == "-" ? "" : "cluster-" + name + ".yaml";
    for (const std::string& each : {path, cluster}) {
      if (!each.empty() && !is_free(io, each)) return finish_taken(io, each);
    }
    Session session(io.env);
    ExitCode code = write(io, session, path, example->spec);
    if (code == ExitCode::Good && !cluster.empty()) {
      code = write(io, session, cluster, example->cluster);
    }
    if (code == ExitCode::Good) tell_next(io, path, cluster);
    return code;
  }

  StarterChoices choices_;
  std::string framework_;
  std::string nodes_;
  std::string cluster_;
  std::unique_ptr<ClusterDocument> document_;  // of `cluster_`
  std::string from_;
  std::string out_;
  bool yes_ = false;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> new_command() {
  return std::make_unique<NewCommand>();
}

}  // namespace trainyard
