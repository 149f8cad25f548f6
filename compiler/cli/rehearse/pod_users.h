#pragma once

#include <sys/types.h>

namespace trainyard {

/// Makes this process `inside` in its new user namespace; it is `outside` in the one above. True
/// if `map_all_users` has done so before.
bool map_user(uid_t inside, uid_t outside, gid_t inside_group, gid_t outside_group);

/// Gives a process in a new user namespace below that of the caller all users that the caller
/// knows, with the same numbers: the files of an image have many owners. False if the caller may
/// not, as without root.
bool map_all_users(pid_t process);

/// This process enters a new user namespace, in which it is root and knows all users if it may, and
/// itself alone otherwise. It is root in the one above.
bool enter_as_root();

}  // namespace trainyard
