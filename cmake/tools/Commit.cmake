# Writes the commit of ROOT into SOURCE, the function `std::string_view trainyard::commit()`. A working tree that differs
# from its commit says so. KNOWN is taken where it is given; without git it is that of an archive made by git
# (cmake/commit.txt), or empty.
function(commit_of_git result)
  set(${result} "" PARENT_SCOPE)
  find_program(git git)
  if(NOT git OR NOT EXISTS ${ROOT}/.git) # a repository around an unpacked archive says nothing of it
    return()
  endif()
  set(in_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE failed)
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE head ${in_root})
  if(failed)
    return()
  endif()
  # Without a lock, which a commit in another shell may need.
  execute_process(COMMAND ${git} --no-optional-locks status --porcelain OUTPUT_VARIABLE changes ${in_root})
  string(SUBSTRING ${head} 0 12 head)
  if(changes OR failed)
    string(APPEND head ", modified")
  endif()
  set(${result} ${head} PARENT_SCOPE)
endfunction()

set(commit ${KNOWN})
if(NOT commit)
  commit_of_git(commit)
endif()
file(READ ${ROOT}/cmake/commit.txt archived)
if(NOT commit AND archived MATCHES "^[0-9a-f]+")
  string(SUBSTRING ${archived} 0 12 commit)
endif()

# Only what changed is written: the same text compiles nothing.
file(CONFIGURE OUTPUT ${SOURCE} @ONLY CONTENT [=[
#include <string_view>

namespace trainyard {

std::string_view commit();
std::string_view commit() {
  return "@commit@";
}

}  // namespace trainyard
]=])
