#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/http/request.h"
#include "tree/tree.h"

namespace trainyard {

/// One of the fields that the server complains about (metav1.StatusCause).
struct ApiCause {
  std::string reason;   // FieldValueInvalid, FieldManagerConflict, ...
  std::string field;    // spec.template
  std::string message;  // without the value, which may hold every literal of a pod
};

/// Why a request did not succeed: what the server said (metav1.Status), or why it said nothing.
///
/// `message` and the messages of causes hold no values of objects: the server's own sentence about
/// a refused pod template quotes all of it, environment included.
struct ApiError {
  Trouble trouble = Trouble::None;
  int status = 0;      // of HTTP; 0 where the server gave no whole answer
  std::string reason;  // NotFound, Conflict, Invalid, Forbidden, ...; "" where there is none
  std::string message;
  std::vector<ApiCause> causes;
  int retry_after = 0;  // seconds

  bool is_not_found() const { return status == 404; }
  bool is_refused() const { return status == 401 || status == 403; }
  bool is_conflict() const { return status == 409; }
  bool is_invalid() const { return status == 422; }
  bool is_gone() const { return status == 410; }
  /// The connection, not the request, is the problem.
  bool is_connection() const { return trouble != Trouble::None; }
};

/// Nothing for an answer that is a success.
std::optional<ApiError> error_of(const Answer& answer);
/// Of a Status that comes as an event of a watch.
ApiError error_of(View status);

/// The user pressed Ctrl-C.
ApiError interruption();

/// An answer that is a success and not what was asked for.
ApiError unreadable_answer();

/// One line for a person.
std::string sentence(const ApiError& error);

}  // namespace trainyard
