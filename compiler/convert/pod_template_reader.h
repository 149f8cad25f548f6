#pragma once

#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

/// A pod template while it is taken apart into the fields of a role. Readers look at it one after
/// the other; what they leave comes into `pod`.
struct PodParts {
  Conversion& job;
  ConvertedRole& role;
  View metadata;
  View spec;
  View main;        // the training container
  View whole = {};  // `spec` with the parts of a fabric, which the others are without

  PodBuilder& maker() const { return job.maker; }
  NodeId fields() const { return role.fields; }
  /// `pod.spec`, for what the language has no field for.
  NodeId own_spec() const;
  /// `pod.metadata`.
  NodeId own_metadata() const;
  /// The item of the training container in `pod`.
  NodeId own_container() const;
};

/// `pod.spec` among the fields of a role, and the item of the training container in it.
NodeId own_spec_of(Conversion& job, NodeId fields);
NodeId own_container_of(Conversion& job, NodeId fields);

/// What the language calls the training container in `pod`.
inline constexpr std::string_view kMainContainer = "main";

// The readers, each in a file of its own.
void read_identity(PodParts& parts);
void read_resources(PodParts& parts);
void read_command(PodParts& parts);
void read_environment(PodParts& parts);
void read_mounts(PodParts& parts);
void read_placement(PodParts& parts);
void read_security(PodParts& parts);
/// Once all roles are known, at the level that the least restricted of them needs.
void settle_security(Conversion& job);
void read_pod_scheduling(PodParts& parts);
/// Whatever a pod template may have and no reader has taken.
void read_rest_of_pod(PodParts& parts);

/// Takes a whole pod template into the fields of `role`.
void read_pod_template(Conversion& job, ConvertedRole& role, View pod_template);

/// The container that trains: the one with the name that the controller asks for, else the one
/// called `main`, else the first with GPUs, else the first.
View training_container(View pod_spec, std::string_view wanted);

}  // namespace trainyard
