# The standard headers that most sources include, compiled once: a third of the time of each source.
#
#   target_precompile_headers(target REUSE_FROM trainyard_precompiled)
#
# Our own headers stay out: an edit of one must not compile what does not include it.
set(TRAINYARD_STANDARD_HEADERS
    <algorithm> <array> <charconv> <cstddef> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span>
    <string> <string_view> <unordered_map> <utility> <vector>)

# A build by a profile compiles folders with options of their own.
if(TRAINYARD_PROFILE)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cc CONTENT "")
add_library(trainyard_precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cc)
target_link_libraries(trainyard_precompiled PRIVATE trainyard_options)
target_precompile_headers(trainyard_precompiled PRIVATE ${TRAINYARD_STANDARD_HEADERS})

# A precompiled header wants the same macros in all sources, and RE2 brings `-pthread`.
target_compile_options(trainyard_options INTERFACE -pthread)
# Else clang writes the time into it, and no compiler cache knows it again.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(trainyard_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
