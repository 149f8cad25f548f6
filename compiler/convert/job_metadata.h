#pragma once

#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

/// Name, namespace, labels and annotations of the job; those by which it is queued go into
/// `scheduling`.
void read_metadata(Conversion& job);

/// An object that a build makes with the job, such as its Service: what it is called and labelled
/// with is made again.
void settle_metadata_of_part(Conversion& job, View object);

/// A label that a build gives to every object, with the value that it gives.
bool is_own_label(const Conversion& job, View label);
/// A label that a build gives to pods whatever stands there: tools such as Helm write it, too.
bool is_label_of_build(std::string_view key);
/// A label by which a controller knows its pods.
bool is_label_of_controller(std::string_view key);
/// An annotation that a tool or the server has left.
bool is_annotation_of_tool(std::string_view key);
/// `uid`, `creationTimestamp` and the like.
void settle_set_by_server(Conversion& job, View metadata);

/// Whether a value under this name must not get into a spec.
bool looks_like_credential(std::string_view name, std::string_view value);

/// What stands in `secretEnv` for the name of a Secret that is still to be made: no build takes it.
inline constexpr std::string_view kSecretToName = "<Secret>";
/// An entry of `secretEnv` among the fields of a role, with a name to fill in.
void put_secret_to_name(Conversion& job, NodeId fields, std::string_view variable);

/// Carries an annotation of the job or its pods to `metadata`, or says why not.
void carry_annotation(Conversion& job, NodeId metadata, View annotation);

/// Takes a label or annotation of the job or its pods into `scheduling`, where it is one by which
/// the job is queued.
bool read_queueing_label(Conversion& job, View label);
bool read_preemption(Conversion& job, View label);
/// Holds how many pods should start together against how many a build would have.
void settle_gang_size(Conversion& job, View size);
/// The same for a gang that the program which is being read has for itself.
void settle_gang_size_of_role(Conversion& job, View size);
/// The same for all of `least_pods`, once the pods are known.
void settle_least_pods(Conversion& job);

}  // namespace trainyard
