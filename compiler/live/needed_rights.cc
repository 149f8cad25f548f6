#include "live/needed_rights.h"

namespace trainyard {

std::vector<Right> rights_in(const std::string& name_space) {
  struct Row {
    const char* group;
    const char* resource;
    std::vector<const char*> verbs;
  };
  const std::vector<const char*> all = {"get", "list", "watch", "create", "patch", "delete"};
  const std::vector<Row> rows = {{"batch", "jobs", all},
                                 {"", "services", {"get", "create", "patch", "delete"}},
                                 {"", "configmaps", {"get", "list", "create", "patch", "delete"}},
                                 {"", "pods", {"get", "list", "watch"}},
                                 {"", "pods/log", {"get"}},
                                 {"", "events", {"list", "watch"}}};
  std::vector<Right> rights;
  for (const Row& row : rows) {
    for (const char* verb : row.verbs)
      rights.push_back({verb, row.group, row.resource, name_space});
  }
  return rights;
}

}  // namespace trainyard
