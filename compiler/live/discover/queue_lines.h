#pragma once

#include "live/discover/document_lines.h"
#include "live/survey/survey.h"

namespace trainyard {

/// `queues` of a Cluster document: of Kueue, Volcano, and KAI or Run:ai.
void queue_lines(const Survey& survey, DocumentLines& lines);

}  // namespace trainyard
