#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// What `trainyard report` writes into the head of a page, by which it knows its own pages again.
inline constexpr std::string_view kReportMark =
    "<meta name=\"generator\" content=\"trainyard report\">";

/// A page that needs no other file and no network, with `data` (JSON) in it. Its Content Security
/// Policy allows its own script and style, by their digests, and images in the page
/// (https://www.w3.org/TR/CSP3/). No text of the data ends the element that it stands in.
std::string report_page(std::string_view data);

}  // namespace trainyard
