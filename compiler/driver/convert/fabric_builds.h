#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "convert/fabric_source.h"
#include "driver/build/compile.h"
#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// Builds jobs with and without a fabric, to learn by which parts pods that use it are known.
class FabricBuilds : public FabricSource {
 public:
  /// Trials are built in `session`, whose sink they clear. `cluster` may be null.
  FabricBuilds(Session& session, const ClusterDocument* cluster)
      : session_(session), cluster_(cluster) {}

  std::vector<FabricMark> marks(View pod_template) override;
  std::vector<FabricPlace> places(View pod_template, std::string_view fabric) override;
  std::unique_ptr<FabricBuild> build(const FabricTrial& trial) override;

 private:
  struct Made {
    Document document;
    Compilation built;
    std::string refusal;  // "" if it builds
  };
  /// Why the spec does not build; "" if it does.
  std::string make(const std::string& spec, Made& made);

  const FabricSettings* settings(std::string_view fabric) const;
  std::string evidence(std::string_view fabric, const FabricProfile& profile,
                       View pod_template) const;
  bool has_any(std::string_view fabric, const FabricProfile& profile, View pod_template) const;
  bool has_fabric(const Machine& machine, std::string_view fabric) const;

  Session& session_;
  const ClusterDocument* cluster_;
  Made with_;
  std::map<std::string, Made> without_;  // by spec, for trials with other fabrics
};

}  // namespace trainyard
