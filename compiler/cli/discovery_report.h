#pragma once

#include <string>

#include "cli/command.h"
#include "driver/discover/discovered_document.h"

namespace trainyard {

// What `discover` does with its findings, those of a dump and those of a cluster.

struct DiscoveryOptions {
  std::string out;     // the file; "" for standard output
  std::string name;    // of the Cluster
  std::string update;  // a Cluster document to compare; "" for none
  SessionOptions session;
};
Arguments discovery_arguments(DiscoveryOptions& options);

/// Whether the call can be served: `-o` names no file that is there, and goes without `--update`.
/// Else says why, and sets `code`.
bool can_report(Io& io, const DiscoveryOptions& options, ExitCode& code);

/// Writes the document, or compares it. Ends with OutOfDate where they differ.
ExitCode report_discovery(Io& io, Session& session, const Survey& survey,
                          const DiscoveredFrom& from, const DiscoveryOptions& options);

}  // namespace trainyard
