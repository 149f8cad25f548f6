// Arbitrary bytes through the whole compiler. The first byte says what the others are: a spec, a
// Cluster, a manifest, a policy, a text to lay out, a template, a schema and so on (see kUses).

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check/objects.h"
#include "driver/build/build.h"
#include "driver/session/surroundings.h"
#include "driver/validate/validate.h"
#include "emit/provenance.h"
#include "fixtures.h"
#include "require.h"
#include "schema/import.h"
#include "schema/pack_builder.h"
#include "schema/schema_file.h"
#include "target/template.h"
#include "tree/format.h"
#include "tree/json.h"
#include "tree/yaml_reader.h"
#include "tree/yaml_writer.h"
#include "world.h"

namespace {

using namespace trainyard;
using namespace trainyard::fuzzing;

const char* const kSpec = "in/spec.yaml";
const char* const kCluster = "in/cluster.yaml";
const char* const kPolicy = "in/policy.yaml";

/// Without the comments in front.
std::string written(const std::vector<Tree>& documents) {
  std::string text;
  for (const Tree& document : documents) {
    text += "---\n";
    write_yaml(document, document.root(), text);
  }
  return text;
}

// ---- Jobs -------------------------------------------------------------------------------------

/// A session for a job: one that was used, unless the job brings templates of its own.
struct JobRun {
  std::unique_ptr<Trial> own;
  Trial& run;

  JobRun(bool own_templates, User user)
      : own(own_templates ? std::make_unique<Trial>() : nullptr),
        run(own_templates ? *own : used_run(user)) {}
};

struct Job {
  std::string_view spec;
  std::string_view cluster;        // "" for none
  std::string_view template_path;  // "" for none
  std::string_view template_text;

  void put(World& world) const {
    world.files.files[kSpec] = std::string(spec);
    world.files.files["in/train.py"] = "print(1)\n";
    if (!cluster.empty()) world.files.files[kCluster] = std::string(cluster);
    if (!template_path.empty()) {
      world.files.files["templates/" + std::string(template_path)] = std::string(template_text);
    }
  }
  /// As `--templates templates` does it.
  void add_templates(Session& session) const {
    if (!template_path.empty())
      session.templates.add_directory("templates", session.env, session.sink);
  }
  BuildRequest request() const {
    BuildRequest request;
    request.inputs = {kSpec};
    if (!cluster.empty()) request.cluster = kCluster;
    return request;
  }
};

/// What came out reads back as what was written, and no schema has anything against it.
void require_good_stream(const std::string& stream, bool own_templates) {
  Trial& run = used_run(User::Output);
  const FileId file = run.session.sources.add("out.yaml", stream);
  const std::vector<Tree> documents =
      read_yaml(run.session.sources, file, run.session.sink, {}, Ambiguity::Refuse);
  require_clean(run.session.sink, run.session.sources, "the output can be read");
  require(stream.starts_with(kHeader), "the output begins with its header");
  const std::size_t objects = std::min(stream.find("---\n"), stream.size());
  require(written(documents) == stream.substr(objects), "the output reads back as it was written");
  if (own_templates) return;
  const Inventory nothing;
  for (const Tree& document : documents) {
    check_manifest(document, document.root(), run.session.sources, run.session.schema_sources(),
                   {versions_for(run.session, nullptr), &nothing}, run.session.sink);
  }
  require_clean(run.session.sink, run.session.sources, "the output is valid");
}

/// The same job to a directory: the map of causes can be read, and nothing is out of date.
void require_good_directory(const Job& job) {
  BuildRequest request = job.request();
  request.output_directory = "out";
  request.provenance = true;
  const JobRun writing(!job.template_path.empty(), User::Directory);
  Session& first = writing.run.session;
  job.put(writing.run.world);
  job.add_templates(first);
  build(first, request);
  require_clean(first.sink, first.sources, "what builds to a stream builds to a directory");
  for (const auto& [path, text] : writing.run.world.files.files) {
    if (path.ends_with(".provenance.json")) {
      require(read_provenance(text).has_value(), "the map of causes can be read");
    }
  }
  request.check = true;
  const JobRun checking(!job.template_path.empty(), User::Check);
  checking.run.world.files.files = writing.run.world.files.files;
  job.add_templates(checking.run.session);
  require(!build(checking.run.session, request).out_of_date, "what was just made is up to date");
}

/// Every so often in a session that has seen nothing else.
bool wants_fresh_session(std::string_view input) {
  constexpr std::size_t kOften = 16;
  return std::hash<std::string_view>()(input) % kOften == 0;
}

void build_job(Trial& run, const Job& job, std::string_view input) {
  job.put(run.world);
  job.add_templates(run.session);
  const auto before = run.world.files.files;
  const BuildResult result = build(run.session, job.request());
  require(run.world.files.files == before, "a stream writes no file");
  require_good_diagnostics(run.session.sink, run.session.sources, input);
  if (run.session.sink.has_errors()) {
    require(result.stream.empty() && result.written.empty() && result.removed.empty(),
            "what is wrong has no output");
    return;
  }
  const std::string stream = result.stream.whole();
  if (stream.empty()) {
    const auto& found = run.session.sink.all();
    const bool is_told = std::ranges::any_of(
        found, [](const Diagnostic& each) { return each.kind == DiagnosticKind::NothingToMake; });
    return require(is_told, "only a Cluster that asks for no object has no output");
  }
  require_no_token(input, stream);
  require_good_stream(stream, !job.template_path.empty());
  const bool fresh = !job.template_path.empty() || wants_fresh_session(input);
  const JobRun again(fresh, User::Again);
  job.put(again.run.world);
  job.add_templates(again.run.session);
  require(build(again.run.session, job.request()).stream.whole() == stream,
          "the same input gives the same bytes");
  require_good_directory(job);
}

// ---- What the bytes may be -------------------------------------------------------------------

void as_spec(std::string_view bytes) {
  build_job(used_run(), {bytes, {}, {}, {}}, bytes);
}

void as_spec_in_cluster(std::string_view bytes) {
  build_job(used_run(), {bytes, kFixedCluster, {}, {}}, bytes);
}

void as_cluster(std::string_view bytes) {
  if (bytes.empty()) return;
  build_job(used_run(), {kFixedSpec, bytes, {}, {}}, bytes);
}

void with_template(std::string_view path, std::string_view bytes) {
  Trial run;
  build_job(run, {kFixedSpec, kFixedCluster, path, bytes}, bytes);
}
void as_object_template(std::string_view bytes) {
  with_template("job/job.yaml", bytes);
}
void as_pod_template(std::string_view bytes) {
  with_template("pod/pod.yaml", bytes);
}
void as_target(std::string_view bytes) {
  with_template("job/target.yaml", bytes);
}
void as_machine(std::string_view bytes) {
  with_template("machines/dgx-h100.yaml", bytes);
}

void as_manifest(std::string_view bytes) {
  Trial& run = used_run();
  run.world.files.files[kSpec] = std::string(bytes);
  ValidateRequest request;
  request.inputs = {kSpec};
  validate(run.session, request);
  require_good_diagnostics(run.session.sink, run.session.sources, bytes);
}

/// Holds the fixed manifest against the policy.
void as_policy(std::string_view bytes) {
  Trial& run = used_run();
  run.session.policies = Policies();
  run.world.files.files[kPolicy] = std::string(bytes);
  run.world.files.files[kSpec] = std::string(kFixedManifest);
  run.session.policies.load(run.session, kPolicy);
  ValidateRequest request;
  request.inputs = {kSpec};
  validate(run.session, request);
  require_good_diagnostics(run.session.sink, run.session.sources, bytes);
  run.session.policies = Policies();
}

std::vector<Tree> read(SourceMap& sources, std::string_view bytes, Sink& sink) {
  const FileId file = sources.add("in.yaml", std::string(bytes));
  return read_yaml(sources, file, sink, kSmall, Ambiguity::Kubernetes);
}

bool same_documents(const std::vector<Tree>& a, const std::vector<Tree>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], a[i].root(), b[i], b[i].root())) return false;
  }
  return true;
}

void as_layout(std::string_view bytes) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("in.yaml", std::string(bytes));
  const auto once = format_yaml(sources, file, sink);
  require_good_diagnostics(sink, sources, bytes);
  if (!once) {
    require(sink.has_errors(), "a text that is not laid out is told why");
    return;
  }
  const FileId again = sources.add("again.yaml", *once);
  const auto twice = format_yaml(sources, again, sink);
  require(twice && *twice == *once, "laying out twice changes nothing");
  Sink first, second;
  const auto before = read_yaml(sources, file, first, {}, Ambiguity::Kubernetes);
  const auto after = read_yaml(sources, again, second, {}, Ambiguity::Kubernetes);
  require(first.has_errors() == second.has_errors(), "laying out keeps errors");
  if (!first.has_errors()) require(same_documents(before, after), "laying out keeps values");
}

void as_template(std::string_view bytes) {
  for (const bool part : {false, true}) {
    SourceMap sources;
    Sink sink;
    for (Tree& tree : read(sources, bytes, sink)) {
      std::vector<std::string_view> scope;
      if (part) scope.push_back("role");
      const std::size_t errors = sink.error_count();
      const auto compiled = Template::compile(std::move(tree), scope, sink);
      require(compiled.has_value() == (sink.error_count() == errors), "nothing comes of an error");
    }
    require_good_diagnostics(sink, sources, bytes);
  }
}

void as_provenance(std::string_view bytes) {
  const auto map = read_provenance(bytes);
  if (!map) return;
  const Provenance& causes = map->entries;
  const std::string text = provenance_json(causes, bytes);
  const auto again = read_provenance(text);
  require(again && provenance_json(again->entries, bytes) == text, "a map of causes reads back");
  require(again->is_of(bytes) && is_provenance(text), "a map of causes knows its output");
  (void)at_line(causes, 1);
  if (causes.empty()) return;
  (void)at_path(causes, causes.front().object + ":" + causes.front().named_path);
  (void)at_path(causes, bytes.substr(0, 100));
}

/// A pack that was built opens, and anything can be checked against every kind in it.
void use_pack(std::string_view image, const std::vector<Tree>& documents) {
  std::vector<double> aligned((image.size() + sizeof(double) - 1) / sizeof(double));
  if (!image.empty()) std::memcpy(aligned.data(), image.data(), image.size());
  const auto pack = SchemaPack::open({reinterpret_cast<const char*>(aligned.data()), image.size()});
  if (!pack) return;
  Checker checker(*pack);
  for (const SchemaKind& kind : pack->kinds()) {
    for (const Tree& document : documents) {
      checker.check_object(kind, document, document.root());
    }
  }
}

std::vector<Tree> fixed_manifest(SourceMap& sources, Sink& sink) {
  return read(sources, kFixedManifest, sink);
}

void as_definition(std::string_view bytes) {
  SourceMap sources;
  Sink sink;
  PackBuilder builder(&SchemaPack::builtin());
  for (Tree& tree : read(sources, bytes, sink)) {
    for (ImportedSchema& schema : import_crd(tree, "test", sink)) {
      require(!schema.path().empty() && !schema.text().empty(), "a schema has a file");
      builder.add_kind(schema.facts, std::move(schema.schema));
    }
    const std::vector<WantedKind> wanted = {{"batch", "v1", "Job"}, {"", "v1", "Pod"}};
    import_openapi(tree, wanted, {}, "test", sink);
  }
  const std::size_t errors = sink.error_count();
  const std::string image = builder.build(sink);
  require(errors != 0 || image.empty() == sink.has_errors(), "a pack comes of what is right");
  require_good_diagnostics(sink, sources, bytes);
  use_pack(image, fixed_manifest(sources, sink));
}

void as_schema_files(std::string_view bytes) {
  SourceMap sources;
  Sink sink;
  PackBuilder builder(&SchemaPack::builtin());
  for (Tree& tree : read(sources, bytes, sink)) {
    add_schema_file(builder, "example.com/v1/Widget.json", std::move(tree), sink);
  }
  const std::string image = builder.build(sink);
  require_good_diagnostics(sink, sources, bytes);
  use_pack(image, fixed_manifest(sources, sink));
}

std::string fixed_pack() {
  SourceMap sources;
  Sink sink;
  PackBuilder builder(&SchemaPack::builtin());
  for (Tree& tree : read(sources, kFixedDefinition, sink)) {
    add_schema_file(builder, "widget.yaml", std::move(tree), sink);
  }
  std::string image = builder.build(sink);
  require(!sink.has_errors() && !image.empty(), "the fixed definition is right");
  return image;
}

/// The bytes are changes to a pack: where (two bytes) and what (one byte).
void as_damage(std::string_view bytes) {
  static const std::string whole = fixed_pack();
  std::string image = whole;
  SourceMap sources;
  Sink sink;
  for (; bytes.size() >= 3; bytes.remove_prefix(3)) {
    const auto low = static_cast<unsigned char>(bytes[0]);
    const auto high = static_cast<unsigned char>(bytes[1]);
    image[(low + 256U * high) % image.size()] = bytes[2];
  }
  use_pack(image, fixed_manifest(sources, sink));
}

constexpr Use kUses[] = {
    {'s', as_spec},       {'i', as_spec_in_cluster}, {'c', as_cluster},
    {'m', as_manifest},   {'r', as_policy},          {'f', as_layout},
    {'t', as_template},   {'o', as_object_template}, {'p', as_pod_template},
    {'g', as_target},     {'h', as_machine},         {'w', as_provenance},
    {'d', as_definition}, {'u', as_schema_files},    {'x', as_damage},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return use_input(kUses, data, size);
}
