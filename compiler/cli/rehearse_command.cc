
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/rehearse/outside_network.h"
#include "cli/rehearse/podman.h"
#include "cli/rehearse/run_rehearsal.h"
#include "cli/rehearse/ssh_keys.h"
#include "cli/run_program.h"
#include "cli/standard_files.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/rehearse/plan_rehearsal.h"
#include "source/number_text.h"
#include "spec/duration.h"

namespace trainyard {
namespace {

class RehearseCommand : public Command {
 public:
  std::string_view name() const override { return "rehearse"; }
  std::string_view summary() const override {
    return "Run a job on this machine, without GPUs, before a cluster does";
  }
  std::string_view description() const override {
    return "Runs each pod of a job as processes of this machine: with the host name, variables, "
           "files and command line that it will have on the cluster. Each pod has a network "
           "address, and finds the others by their names. The programs are those of this machine, "
           "or with `--image` of the image, and run on its processors.\n\nA spec compiles with at "
           "most `--nodes` nodes of `--processes` processes. Pods see the files of this machine; "
           "what they write is gone afterwards. The programs reach the network outside by `pasta` "
           "or `slirp4netns`, where one is installed.\n\nThe output has "
           "`[ROLE INDEX]` in front of each line. If a pod fails, or ranks do not find each other, "
           "`rehearse` says which pod waits for which name and port, and ends with 5. At the end "
           "it lists what differs from the cluster.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard rehearse job.yaml", "Two nodes of two processes, in this folder."},
            {"trainyard rehearse job.yaml --nodes 4 --processes 1 --mount .:/workspace",
             "Four nodes; the program is below /workspace, as in the image."},
            {"trainyard rehearse job.yaml --mount ~/small:/data --wait 10m",
             "With a small data set; ranks may take ten minutes to meet."}};
  }

  Arguments arguments() override {
    return {
        inputs_argument(request_.inputs, "A spec or manifest, with what it needs"),
        cluster_argument(request_.cluster),
        target_argument(request_.target),
        job_argument(request_.name),
        {.name = "nodes",
         .value = "NUMBER",
         .help = "Fold a spec to so many nodes (default: 2)",
         .into = &nodes_},
        {.name = "processes",
         .value = "NUMBER",
         .help = "Fold a spec to so many processes on each node (default: 2)",
         .into = &processes_},
        {.name = "here",
         .help = "Take the programs of this machine, which is the default",
         .into = &here_},
        {.name = "image",
         .help = "Take the programs of the image, which podman has on this machine",
         .into = &image_},
        {.name = "mount",
         .value = "DIR:PATH",
         .help = "Show a directory at a path of the pods, read-only",
         .kind = ValueKind::Directory,
         .into = &mounts_},
        {.name = "network",
         .value = "PROGRAM",
         .help = "What leads pods outside: `pasta` or `slirp4netns` (default: the first that is "
                 "installed), or `none`",
         .kind = ValueKind::Word,
         .words = network_words(),
         .into = &network_},
        {.name = "wait",
         .value = "DURATION",
         .help = "How long ranks may take to find each other (default: 2m)",
         .into = &wait_},
        overlay_argument(options_.overlays),
        templates_argument(options_.templates),
        schemas_argument(options_.schemas),
        config_argument(options_.config),
        no_config_argument(options_.no_config),
        load_outside_argument()};
  }

  ExitCode run(Io& io) override {
    const auto nodes = number_of(nodes_);
    const auto processes = number_of(processes_);
    if (!nodes) return wrong_call(io, "`--nodes " + nodes_ + "`: expected a number from 1 on");
    if (!processes) {
      return wrong_call(io, "`--processes " + processes_ + "`: expected a number from 1 on");
    }
    const auto wait = parse_duration(wait_);
    if (!wait)
      return wrong_call(io, "`--wait " + wait_ + "`: expected a time such as `90s` or `5m`");
    request_.fold = {*nodes, *processes};
    for (const std::string& each : mounts_) {
      if (const std::string fault = take_mount(io, each); !fault.empty()) {
        return wrong_call(io, "`--mount " + each + "`: " + fault);
      }
    }
    RunRehearsal options{.patience = wait->count, .colour = io.colour};
    if (const std::string fault = choose_network(options); !fault.empty()) {
      return wrong_call(io, fault);
    }
    if (here_ && image_) return wrong_call(io, "`--here` and `--image` are two places of programs");
    PodmanImages images;
    if (image_) {
      if (const std::string fault = enter_podman(); !fault.empty()) return wrong_call(io, fault);
      request_.image_facts = [&images](const std::string& image) { return images.facts(image); };
    }
    request_.make_keys = make_ssh_keys;
    take_environment();
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    std::optional<Rehearsal> rehearsal;
    if (!session.sink.has_errors()) rehearsal = plan_rehearsal(session, request_);
    const ExitCode code = finish(io, session);
    if (!rehearsal) return code;
    if (!image_) {
      rehearsal->differences.emplace_back("programs: those of this machine, not of the image");
    }
    say(std::exchange(io.err, {}));
    say("trainyard: " + foreign_text(rehearsal->job) + " as " +
        counted(static_cast<std::uint32_t>(rehearsal->pods.size()), "pod") + " on this machine\n");
    return run_rehearsal(*rehearsal, options);
  }

 private:
  static std::optional<std::int64_t> number_of(const std::string& word) {
    const auto value = read_number(word);
    return value && *value >= 1 ? value : std::nullopt;
  }

  std::string take_mount(Io& io, const std::string& word) {
    const std::size_t colon = word.rfind(':');
    if (colon == word.npos || colon == 0) return "expected `DIR:PATH`";
    const std::string path = word.substr(colon + 1);
    if (!path.starts_with('/') || path == "/") return "`" + path + "` is no absolute path of a pod";
    const auto folder = io.env.files.real_path(word.substr(0, colon));
    if (!folder || !io.env.files.is_directory(*folder)) {
      return "there is no directory `" + word.substr(0, colon) + "`";
    }
    request_.folders.insert_or_assign(path, *folder);
    return {};
  }

  void take_environment() {
    for (const std::string& entry : whole_environment()) {
      const std::size_t equals = entry.find('=');
      if (equals == entry.npos) continue;
      request_.environment.insert_or_assign(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }

  static std::vector<std::string> network_words() {
    std::vector<std::string> words = {"none"};
    for (const OutsideProgram& each : kOutsidePrograms) words.emplace_back(each.name);
    return words;
  }

  /// The program that leads pods outside: the one that is asked for, or the first that is there.
  std::string choose_network(RunRehearsal& options) const {
    if (network_ == "none") return {};
    std::vector<std::string> packages;
    for (const OutsideProgram& each : kOutsidePrograms) {
      if (!network_.empty() && network_ != each.name) continue;
      constexpr int kNotLoaded = 127;  // a library is missing
      const int code = run_program({each.name, "--version"}, "", whole_environment()).code;
      if (code >= 0 && code != kNotLoaded) {
        options.outside = each.name;
        return {};
      }
      packages.emplace_back(each.package);
    }
    const std::string missing = "install package " + listed(packages, "or");
    if (!network_.empty()) return "`--network " + network_ + "`: " + missing;
    options.why_inside = missing + " for one outside";
    return {};
  }

  RehearseRequest request_;
  std::string nodes_ = "2";
  std::string processes_ = "2";
  std::string wait_ = "2m";
  std::string network_;
  bool here_ = false;
  bool image_ = false;
  std::vector<std::string> mounts_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> rehearse_command() {
  return std::make_unique<RehearseCommand>();
}

}  // namespace trainyard
