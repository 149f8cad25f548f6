#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// What a hostile or broken input may cost. Every budget has a diagnostic of its own.
struct ReadLimits {
  std::size_t bytes = 64 * 1024 * 1024;  ///< of one file (`file-too-large`)
  std::size_t nodes = 2'000'000;         ///< of one file, aliases expanded (`too-many-nodes`)
  std::size_t depth = 128;               ///< of nested collections (`too-deep`)
  bool reference_reader = false;         ///< yaml-cpp alone, without the fast reader before it
};

/// How to take an unquoted scalar that YAML 1.1 and 1.2 readers understand differently.
enum class Ambiguity {
  Refuse,      ///< `ambiguous-scalar`: our own documents, where a quote costs nothing
  Kubernetes,  ///< as sigs.k8s.io/yaml (YAML 1.1) takes it: foreign manifests
};

/// Reads the documents of one file of `sources`. Documents that are empty are left out. When one is
/// broken, `sink` has the error, and the result holds those before and behind it.
///
/// Every node has its byte span, every map entry the span of its key.
std::vector<Tree> read_yaml(const SourceMap& sources, FileId file, Sink& sink,
                            const ReadLimits& limits = {}, Ambiguity ambiguity = Ambiguity::Refuse);

/// The same, handing over each document when it is read, in a tree whose memory is used again for
/// the next one unless it is moved away.
void read_each_yaml(const SourceMap& sources, FileId file, Sink& sink, const ReadLimits& limits,
                    Ambiguity ambiguity, const std::function<void(Tree&)>& use);

/// Some of the documents of a file: bytes from the beginning of one to the end of another.
struct YamlPart {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::size_t nodes_before = 0;   ///< how many values the parts before it have
  std::size_t breaks_before = 0;  ///< how many of their documents are broken
};

/// What reading a part came to.
struct YamlPartRead {
  std::size_t nodes = 0;   ///< of its documents
  std::size_t breaks = 0;  ///< how many of its documents are broken
  bool gave_up = false;    ///< beyond a limit: what is behind it in the file is not to be read
};

/// Cuts a file between documents into parts of at least `least` bytes, which can be read by
/// themselves. Empty when it has too few documents for two parts, or when it is one that has to be
/// read as a whole: with directives, with tabs or text that is not allowed.
std::vector<YamlPart> split_yaml(const SourceMap& sources, FileId file, std::size_t least,
                                 const ReadLimits& limits);

/// As read_each_yaml, of a part that `split_yaml` has cut. A part without documents is no error.
YamlPartRead read_yaml_part(const SourceMap& sources, FileId file, const YamlPart& part, Sink& sink,
                            const ReadLimits& limits, Ambiguity ambiguity,
                            const std::function<void(Tree&)>& use);

}  // namespace trainyard
