#include "cli/command.h"
#include "cli/commands.h"
#include "driver/picture/draw_inputs.h"
#include "picture/picture_dot.h"
#include "picture/picture_mermaid.h"
#include "picture/picture_svg.h"
#include "picture/picture_text.h"

namespace trainyard {
namespace {

struct PictureFormat {
  std::string_view word;
  std::string (*write)(const Picture&);
};
constexpr PictureFormat kFormats[] = {{"text", picture_text},
                                      {"svg", picture_svg},
                                      {"mermaid", picture_mermaid},
                                      {"dot", picture_dot}};

class GraphCommand : public Command {
 public:
  std::string_view name() const override { return "graph"; }
  std::string_view summary() const override {
    return "Draw a job or a Cluster as text, SVG, Mermaid or DOT";
  }
  std::string_view description() const override {
    return "Draws one job, of a spec or of a manifest: its roles, the pods with their ranks and "
           "GPUs, where ranks meet, the queue, and the volumes with what fills them. Pods that "
           "only count on are one box. Of several jobs it draws what each queue is asked for; "
           "`--name` chooses one job. With a Cluster among the inputs it draws the pools with "
           "their topology, the queues with their quota, and what the jobs would take of both, "
           "each job on its own as `doctor` places it.\n\nThe SVG needs no other file and "
           "follows the reader's choice of light or dark. GitHub and GitLab draw Mermaid in a "
           "fenced block.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard graph job.yaml", "The job, for a terminal."},
            {"trainyard graph job.yaml -c cluster.yaml --output svg > job.svg",
             "The job as the Cluster's defaults make it, for a page."},
            {"trainyard graph cluster.yaml jobs/ --output mermaid",
             "What the jobs of a folder take of a Cluster, for a README."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs, "Files, directories, or - for standard input"),
            cluster_argument(request_.cluster),
            target_argument(request_.target),
            job_argument(request_.name),
            overlay_argument(options_.overlays),
            templates_argument(options_.templates),
            schemas_argument(options_.schemas),
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            load_outside_argument(),
            output_argument({"text", "svg", "mermaid", "dot"})};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    std::optional<Picture> picture;
    if (!session.sink.has_errors()) picture = draw_inputs(session, request_);
    const ExitCode code = finish(io, session);
    if (!picture) return code;
    for (const PictureFormat& each : kFormats) {
      if (each.word == output) io.out += each.write(*picture);
    }
    return code;
  }

 private:
  DrawRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> graph_command() {
  return std::make_unique<GraphCommand>();
}

}  // namespace trainyard
