#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

// The rules of Kubernetes for names, keys and sizes. Each `why_not_*` says what is wrong with a
// text, as the end of a sentence that starts with the text itself ("has 70 characters, at most 63
// are allowed"), or nothing when it is right. A right text costs no allocation.
//
// kubernetes/apimachinery pkg/util/validation/validation.go, pkg/api/validation/objectmeta.go;
// kubernetes/kubernetes pkg/apis/core/validation/validation.go

inline constexpr std::size_t kLabelSize = 63;         // characters of an RFC 1123 or 1035 label
inline constexpr std::size_t kSubdomainSize = 253;    // characters of an RFC 1123 subdomain
inline constexpr std::size_t kPortNameSize = 15;      // characters
inline constexpr std::size_t kGenerateNameKept = 58;  // characters of a generateName that are kept
inline constexpr std::size_t kAnnotationBytes = 256 * 1024;  // all keys and values of one object
inline constexpr std::size_t kConfigMapBytes = 1024 * 1024;  // all values of a ConfigMap or Secret
inline constexpr std::size_t kClientApplyBytes =
    256 * 1024;  // an object that `kubectl apply` takes

using Fault = std::optional<std::string>;

/// Namespaces, containers, volumes, host names.
Fault why_not_dns_label(std::string_view text);
/// Most object names.
Fault why_not_subdomain(std::string_view text);
/// Services, and the names that most training operators derive from: a letter first.
Fault why_not_service_name(std::string_view text);
/// Object names of RBAC and of embedded resources: anything that fits into a URL path.
Fault why_not_path_segment(std::string_view text);
/// Label keys, finalizers; annotation keys once they are lower-cased.
Fault why_not_label_key(std::string_view text);
Fault why_not_annotation_key(std::string_view text);
Fault why_not_label_value(std::string_view text);
/// The strict form, which every supported Kubernetes accepts.
Fault why_not_env_name(std::string_view text);
/// The form that a shell can read as well.
Fault why_not_shell_name(std::string_view text);
/// Container ports and the target ports of Services.
Fault why_not_port_name(std::string_view text);
/// Who manages an object: a domain, a slash and a path.
Fault why_not_domain_path(std::string_view text);
/// Keys of ConfigMaps and Secrets.
Fault why_not_config_key(std::string_view text);

}  // namespace trainyard
