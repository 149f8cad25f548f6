#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// What is wrong with a profile such as `1g.10gb`, `1g.10gb.me` or `1c.2g.10gb`; "" for nothing.
/// The memory is another number on each GPU; of the sizes the driver has a fixed set.
std::string fault_of_mig_profile(std::string_view profile);

}  // namespace trainyard
