#include "driver/user_schemas.h"

#include <utility>

#include "driver/inputs.h"
#include "schema/pack_builder.h"
#include "schema/schema_file.h"

namespace trainyard {
namespace {

/// Adds the documents of one file; a file of CRDs usually holds several.
void add_file(Session& session, const std::string& directory, const std::string& path,
              PackBuilder& builder) {
  const FileId file = read_source(path, session.env, session.sources, session.sink, session.limits);
  if (file == kNoFile) return;
  // Where a schema does not say what it describes, its path below the directory does.
  std::string_view below = std::string_view(path).substr(directory.size());
  while (below.starts_with('/')) below.remove_prefix(1);
  for (Tree& tree :
       read_yaml(session.sources, file, session.sink, session.limits, Ambiguity::Kubernetes)) {
    add_schema_file(builder, below, std::move(tree), session.sink);
  }
}

}  // namespace

void load_user_schemas(Session& session, const std::vector<std::string>& directories) {
  if (directories.empty()) return;
  const std::size_t errors = session.sink.error_count();
  PackBuilder builder(&session.schemas);
  for (const std::string& directory : directories) {
    if (!session.env.files.is_directory(directory)) {
      session.sink.report(DiagnosticKind::FileNotFound, {},
                          "`" + directory + "` of `--schemas` is not a directory");
      continue;
    }
    for (const std::string& path : expand_paths({directory}, session.env, session.sink)) {
      add_file(session, directory, path, builder);
    }
  }
  if (session.sink.error_count() != errors) return;

  auto schemas = std::make_unique<UserSchemas>();
  schemas->image = builder.build(session.sink);
  const auto pack = SchemaPack::open(schemas->image);
  if (!pack) return;
  schemas->pack = *pack;
  schemas->checker = std::make_unique<Checker>(schemas->pack);
  session.user_schemas = std::move(schemas);
}

}  // namespace trainyard
