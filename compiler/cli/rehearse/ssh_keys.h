#pragma once

#include "driver/rehearse/controller_objects.h"

namespace trainyard {

/// Makes keys by `ssh-keygen`, as controllers make them for each job.
KeyPair make_ssh_keys();

}  // namespace trainyard
