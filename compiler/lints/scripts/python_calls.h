#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "check/check_context.h"
#include "manifest/workload.h"
#include "shell/python_text.h"

namespace trainyard {

/// A program of Python that a container starts without a shell, and that a ConfigMap holds.
struct PythonProgram {
  View text;
  std::vector<PythonToken> tokens;
  std::vector<View> arguments;  // behind the file
  bool by_torchrun = false;
};

/// Nothing where the program is another one, is no Python, or is a template.
std::optional<PythonProgram> python_program(const WorkloadRole& role, View container,
                                            CheckContext& context);

/// What an argument of a call surely is: `size=8`, `size=SIZE` where `SIZE = 8` stands once,
/// `size=int(os.environ["SIZE"])` where the container has the variable.
struct PythonValue {
  std::string_view text;
  WordView at;
};
PythonValue argument_of(const PythonProgram& program, View container, std::string_view name);

/// Whether a name stands in a program.
bool mentions(const PythonProgram& program, std::string_view name);

/// Whether something else makes a program of a text: templates of Helm, Jinja and envsubst.
bool is_template(std::string_view text);

}  // namespace trainyard
