#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// A topic that contains a word, and the call that explains it: `explain spec.network`.
struct FoundTopic {
  std::string call;
  std::string sentence;
};

struct FoundTopics {
  std::string text;  // for people, without all of them when there are many; "" for none
  std::vector<FoundTopic> all;
};

/// All topics whose text contains the words, but not their name: fields of a TrainingJob
/// and a Cluster, and rows of `trainyard list`.
FoundTopics topics_about(Session& session, std::string_view word);

}  // namespace trainyard
