#include "equivalence/pods.h"

#include "driver/build/compile.h"
#include "driver/explain/explain_pod.h"
#include "driver/session/inputs.h"
#include "source/file_system.h"

namespace trainyard::testing {
namespace {

constexpr const char* kFile = "spec.yaml";

/// A run of the compiler over one file in memory.
struct Run {
  explicit Run(const std::string& spec) {
    disk.files[kFile] = spec;
    session = std::make_unique<Session>(env);
  }

  std::vector<std::string> errors() const {
    std::vector<std::string> result;
    for (const Diagnostic& each : session->sink.sorted()) {
      if (each.severity == Severity::Error) result.push_back(each.message);
    }
    return result;
  }

  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  std::unique_ptr<Session> session;
};

struct Group {
  std::string role;
  std::int64_t pods = 0;
  std::int64_t first_rank = -1;
};

std::vector<Group> groups_of(const Plan& plan) {
  std::vector<Group> groups;
  for (const Role& role : plan.roles) {
    groups.push_back({std::string(role.name), *role.replicas,
                      role.first_rank ? *role.first_rank : std::int64_t{-1}});
  }
  return groups;
}

}  // namespace

MadeJob made_by(const std::string& target, const std::string& spec) {
  MadeJob result;
  Run compiling(spec);
  Session& session = *compiling.session;
  const std::vector<Document> documents = read_inputs(
      {kFile}, compiling.env, session.sources, session.sink, session.limits, Ambiguity::Refuse);
  Compilation compilation;
  if (documents.size() != 1 || !compile(session, documents[0], nullptr, target, compilation)) {
    result.errors = compiling.errors();
    return result;
  }
  const std::vector<Group> groups = groups_of(compilation.plan);
  for (const Group& group : groups) {
    for (std::int64_t index = 0; index < group.pods; ++index) {
      Run asking(spec);
      ExplainPodRequest request;
      request.inputs = {kFile};
      request.target = target;
      if (groups.size() > 1) request.role = group.role;  // one alone may be called otherwise
      request.index = index;
      const auto explained = explain_pod(*asking.session, request);
      if (!explained) {
        result.errors = asking.errors();
        return result;
      }
      SynthesizedPod pod;
      pod.role = group.role;
      pod.index = index;
      pod.rank = group.first_rank < 0 ? -1 : group.first_rank + index;
      pod.pod = nlohmann::json::parse(explained->json);
      pod.hostname = explained->hostname;
      pod.address = explained->address;
      result.pods.push_back(std::move(pod));
    }
  }
  return result;
}

std::vector<std::string> targets_with_pods() {
  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  std::vector<std::string> result;
  for (const TargetFacts* target : session.all_targets()) {
    // Where the program is no command of a pod, there is nothing to compare; a service is no
    // training, and which pods the NeMo Operator makes of jobs on a workspace is not public.
    const bool compared = !target->entrypoint && !target->serves && !target->workspace;
    if (target->available && compared) result.emplace_back(target->name);
  }
  return result;
}

}  // namespace trainyard::testing
