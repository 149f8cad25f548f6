#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "driver/session/env.h"
#include "driver/session/read_root.h"
#include "source/source_map.h"
#include "spec/spec_places.h"
#include "tree/tree.h"
#include "tree/yaml_reader.h"

namespace trainyard {

/// One document of one input.
struct Document {
  std::string path;  // of its file, as the user wrote it or as the directory walk found it
  FileId file = kNoFile;
  bool from_directory = false;  // found by walking, not named by the user
  Tree tree;
  std::string_view api_version;
  std::string_view kind;
  /// Of one that was put together or has parameters; else null.
  std::shared_ptr<const SpecPlaces> places = nullptr;

  View root() const { return View(tree, tree.root()); }
};

/// The paths of files below a directory for which `wanted` holds, sorted by byte value. Hidden
/// files and directories are passed over. A link out of the directory's root (`read_root.h`) is an
/// error; one to a directory there is a warning, and not followed.
std::vector<std::string> files_below(const std::string& directory, Env& env, Sink& sink,
                                     const std::function<bool(const std::string&)>& wanted);

/// Names files for reading: a directory stands for the YAML and JSON files below it, in byte order;
/// `-` for standard input. As files_below, without maps of causes and what the config excludes. A
/// directory that cannot be read is an error, never an empty one.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths, Env& env, Sink& sink);

/// The same for one directory, without what links lead to out of it: the paths of those links are
/// appended to `links`.
std::vector<std::string> files_inside(const std::string& directory, Env& env, Sink& sink,
                                      std::vector<std::string>& links);

/// A file to read, or a part of one.
struct InputPart {
  std::string path;
  bool from_directory = false;
  FileId file = kNoFile;  // when its text is there already
  std::optional<YamlPart> part;

  NamedBy named_by() const { return from_directory ? NamedBy::Document : NamedBy::CommandLine; }
};

/// How a file is taken that the user names: always, or as a walk that comes by takes it.
enum class NamedInputs { Always, AsWalked };

/// The files of the paths, in the order of expand_paths.
std::vector<InputPart> input_files(const std::vector<std::string>& paths, Env& env, Sink& sink,
                                   NamedInputs named_inputs = NamedInputs::Always);

/// The same, read; what cannot be read is a diagnostic, and left out.
std::vector<InputPart> open_inputs(const std::vector<std::string>& paths, Env& env,
                                   SourceMap& sources, Sink& sink, const ReadLimits& limits,
                                   NamedInputs named_inputs = NamedInputs::Always);

/// What reading a part came to.
struct PartRead {
  FileId file = kNoFile;  // kNoFile when it could not be read
  YamlPartRead part;      // where it is not a whole file
};

/// Hands the documents of one file or part to `use`, as for_each_document. A file that a walk found
/// and that holds nothing like a manifest may be no YAML of ours: then the first fault is a note.
PartRead for_each_document_of(const InputPart& input, Env& env, SourceMap& sources, Sink& sink,
                              const ReadLimits& limits, Ambiguity ambiguity,
                              const std::function<void(Document&)>& use);

/// Hands every document of every path to `use`, one after the other: of a fleet, only the texts are
/// kept. What cannot be read is a diagnostic; the rest comes all the same.
void for_each_document(const std::vector<std::string>& paths, Env& env, SourceMap& sources,
                       Sink& sink, const ReadLimits& limits, Ambiguity ambiguity,
                       const std::function<void(Document&)>& use);

/// All these documents at once.
std::vector<Document> read_inputs(const std::vector<std::string>& paths, Env& env,
                                  SourceMap& sources, Sink& sink, const ReadLimits& limits,
                                  Ambiguity ambiguity);

/// Reports why an input cannot be read.
void report_unreadable(const std::string& path, const FileError& error, Span asked_by, Sink& sink);

/// One file of text, or nothing and a diagnostic that points at `asked_by`. A file that a document
/// names must be a regular one; whether it may be named is for may_read.
FileId read_source(const std::string& path, Env& env, SourceMap& sources, Sink& sink,
                   const ReadLimits& limits, NamedBy named_by = NamedBy::CommandLine,
                   Span asked_by = {});

}  // namespace trainyard
