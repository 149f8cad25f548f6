#pragma once

#include "check/check.h"

namespace trainyard {

/// A file of a ConfigMap or Secret that is started, and may not be executed.
void check_script_mode(const Pod& pod, CheckContext& context);
/// A program that an empty volume hides.
void check_hidden_program(const Pod& pod, CheckContext& context);
/// A folder that is to be written to, and is mounted for reading only.
void check_read_only_output(const Pod& pod, CheckContext& context);
/// A private key for ssh that others may read.
void check_ssh_key_mode(const Pod& pod, CheckContext& context);

}  // namespace trainyard
