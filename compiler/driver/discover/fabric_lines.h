#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/discover/discovered_pools.h"
#include "driver/discover/document_lines.h"

namespace trainyard {

/// The fabrics of a cluster: by the machines of its pools, the devices that nodes offer, secondary
/// networks and software on the nodes. One setting of a fabric holds for all pools.
class FabricGuesses {
 public:
  explicit FabricGuesses(const Survey& survey) : survey_(survey) {}

  /// `network` of a pool where it differs from what is known of its machine; "" where it does not.
  std::string take(const DiscoveredPool& pool);
  /// What is left to the reader of the pool that was taken last.
  const std::vector<std::string>& notes_of_pool() const { return notes_; }

  /// `network` of the Cluster.
  void write(DocumentLines& lines) const;

 private:
  struct Guess {
    std::string resource;  // "" where none is known
    std::string count;     // per-nic, per-gpu, flag; "" where the catalogue knows both
  };

  /// Whether networks, or a release of its software, are there for a fabric.
  bool note_networks(const std::string& fabric, const std::string& resource);
  std::string known_devices(const Machine& machine, const DiscoveredPool& pool);
  std::string settings(const std::string& fabric, const std::string& resource, std::int64_t offered,
                       const DiscoveredPool& pool);
  std::vector<std::string> networks_of(std::string_view fabric, std::string_view resource) const;
  std::string release_of(std::string_view fabric, std::string& by) const;
  void write_fabric(const std::string& fabric, const Guess& guess, DocumentLines& lines) const;
  void write_gke_networks(DocumentLines& lines) const;

  const Survey& survey_;
  std::map<std::string, Guess> fabrics_;
  std::vector<std::string> notes_;
};

}  // namespace trainyard
