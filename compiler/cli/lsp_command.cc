#include "cli/lsp_command.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "cli/standard_files.h"
#include "editor/language_server.h"
#include "editor/message_stream.h"

namespace trainyard {
namespace {

/// Standard input as a stream of messages.
class Input {
 public:
  /// Reads what is there; waits for the first bytes if asked to. False at the end of the input.
  bool read(bool waits) {
    while (true) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const int ready = ::poll(&input, 1, waits ? -1 : 0);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return !ended_;
      char buffer[64 * 1024];
      const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        ended_ = true;
        return false;
      }
      reader_.feed({buffer, static_cast<std::size_t>(count)});
      waits = false;
    }
  }

  void hand_to(LanguageServer& server) {
    while (const auto body = reader_.next()) server.take(*body);
  }
  const std::string& fault() const { return reader_.fault(); }

 private:
  MessageReader reader_;
  bool ended_ = false;
};

class LspCommand : public Command {
 public:
  std::string_view name() const override { return "lsp"; }
  std::string_view summary() const override { return "Serve an editor (Language Server Protocol)"; }
  std::string_view description() const override {
    return "Speaks the Language Server Protocol 3.17 on standard input and standard output, for "
           "specs, Clusters, layers, fleets and any Kubernetes manifest. An editor starts it. It "
           "checks open files as `validate` does, completes fields and names of the Cluster, and "
           "explains fields. It finds definitions and uses, lays out files, and renames jobs and "
           "roles. It writes no file and opens no connection.\n\n"
           "A config file counts as for other commands. If it names no Cluster, the nearest "
           "`cluster.yaml` at or above the file counts.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard lsp", "What an editor runs; docs/editor.md has its settings."}};
  }

  Arguments arguments() override {
    Arguments rows = {templates_argument(options_.templates),
                      schemas_argument(options_.schemas),
                      checks_argument(options_.checks),
                      {.name = "stdio",
                       .help = "Use standard input and output, as is always done",
                       .into = &stdio_}};
    return rows;
  }

  ExitCode run(Io& io) override {
    Input input;
    LanguageServer* running = nullptr;
    bool can_write = true;
    ServerWorld world{
        io.env.files, preparation(),
        [&](const std::string& body) { can_write = can_write && write_out(framed(body)) == 0; },
        [&] {
          input.read(false);
          input.hand_to(*running);
        }};
    LanguageServer server(std::move(world));
    running = &server;
    while (!server.ended() && can_write) {
      const bool goes_on = input.read(true);
      input.hand_to(server);
      server.work();
      if (!input.fault().empty()) {
        io.err += "trainyard: " + input.fault() + "\n";
        return ExitCode::InputWrong;
      }
      if (!goes_on) break;
    }
    return server.ended().value_or(ExitCode::InputWrong);
  }

 private:
  std::function<void(Session&, ValidateRequest&)> preparation() const {
    return [this](Session& session, ValidateRequest& request) {
      prepare(session, options_,
              {request.inputs, request.cluster, request.target, &request.kubernetes,
               &request.ignore_unknown_kinds});
    };
  }

  bool stdio_ = false;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> lsp_command() {
  return std::make_unique<LspCommand>();
}

}  // namespace trainyard
