#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "driver/env.h"
#include "source/source_map.h"
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

  View root() const { return View(tree, tree.root()); }
};

/// Names files for reading: a directory stands for the YAML and JSON files below it, in byte order;
/// `-` for standard input. Hidden files and directories and maps of causes are passed over.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths, Env& env, Sink& sink);

/// A file of the inputs, read.
struct InputFile {
  std::string path;
  FileId file = kNoFile;
  bool from_directory = false;
};

/// Reads the files that the paths stand for; what cannot be read is a diagnostic.
std::vector<InputFile> open_inputs(const std::vector<std::string>& paths, Env& env,
                                   SourceMap& sources, Sink& sink, const ReadLimits& limits);

/// Hands every document of one file to `use`, one after the other.
void for_each_document(const InputFile& input, SourceMap& sources, Sink& sink,
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

/// One file of text, or nothing and a diagnostic that points at `asked_by`.
FileId read_source(const std::string& path, Env& env, SourceMap& sources, Sink& sink,
                   const ReadLimits& limits, Span asked_by = {});

}  // namespace trainyard
