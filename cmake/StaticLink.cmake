# Makes yaml-cpp::yaml-cpp and re2::re2 out of the distribution's archives, so that the program is one
# file that starts without a dynamic linker (0.5 ms instead of 1.2 ms). Where everything has an archive
# the link is fully static; otherwise at least libstdc++, libgcc and what was found here are.
#
# Provides trainyard_static: link it to a program that is to be static. Does nothing unless
# TRAINYARD_STATIC is set; what has no archive is left to find_package.

add_library(trainyard_static INTERFACE)
# Loaded at a random address, where the build is hardened (Hardening.cmake).
set(TRAINYARD_STATIC_FLAG -static)
if(CMAKE_EXE_LINKER_FLAGS MATCHES "-pie")
  set(TRAINYARD_STATIC_FLAG -static-pie)
endif()
if(NOT TRAINYARD_STATIC)
  return()
endif()
include(CheckCXXSourceCompiles)

# One archive as an imported target with the names of further libraries that it needs.
function(trainyard_archive target archive header)
  string(MAKE_C_IDENTIFIER "TRAINYARD_${target}" prefix)
  find_library(${prefix}_ARCHIVE NAMES ${archive})
  find_path(${prefix}_INCLUDE ${header})
  mark_as_advanced(${prefix}_ARCHIVE ${prefix}_INCLUDE)
  if(NOT ${prefix}_ARCHIVE OR NOT ${prefix}_INCLUDE)
    message(STATUS "No ${archive}: ${target} is linked dynamically")
    return()
  endif()
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${${prefix}_ARCHIVE}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${${prefix}_INCLUDE}
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

# Newer RE2 stands on Abseil, whose archives its package file names in link order. Asked once: with a
# hundred Abseil files every call takes pkg-config seconds, and pkg_check_modules makes a dozen.
set(re2_needs "")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs-only-l re2
                  OUTPUT_VARIABLE re2_libraries ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(re2_libraries UNIX_COMMAND "${re2_libraries}")
  list(TRANSFORM re2_libraries REPLACE "^-l" "")
  foreach(name ${re2_libraries})
    if(NOT name MATCHES "^(re2|pthread|rt|m|dl|c|stdc\\+\\+)$")
      find_library(TRAINYARD_${name}_ARCHIVE NAMES lib${name}.a)
      mark_as_advanced(TRAINYARD_${name}_ARCHIVE)
      if(TRAINYARD_${name}_ARCHIVE)
        list(APPEND re2_needs ${TRAINYARD_${name}_ARCHIVE})
      else()
        list(APPEND re2_needs ${name})
      endif()
    endif()
  endforeach()
endif()
find_package(Threads REQUIRED)
trainyard_archive(re2::re2 libre2.a re2/re2.h ${re2_needs} Threads::Threads)
trainyard_archive(yaml-cpp::yaml-cpp libyaml-cpp.a yaml-cpp/yaml.h)

# Without trainyard's own sources: can these libraries and libc be linked with -static?
function(trainyard_check_static result)
  if(NOT TARGET re2::re2 OR NOT TARGET yaml-cpp::yaml-cpp)
    set(${result} OFF PARENT_SCOPE)
    return()
  endif()
  set(CMAKE_REQUIRED_LIBRARIES yaml-cpp::yaml-cpp re2::re2)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${TRAINYARD_STATIC_FLAG})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("
    #include <re2/re2.h>
    #include <yaml-cpp/yaml.h>
    int main(int, char** argv) { return RE2::FullMatch(YAML::Load(argv[0]).as<std::string>(), \"a\"); }"
    ${result})
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()

trainyard_check_static(TRAINYARD_FULLY_STATIC)
if(TRAINYARD_FULLY_STATIC)
  message(STATUS "Linking fully static")
  target_link_options(trainyard_static INTERFACE ${TRAINYARD_STATIC_FLAG})
else()
  message(STATUS "Not everything has an archive: linking only libstdc++, libgcc and what has one statically")
  target_link_options(trainyard_static INTERFACE -static-libstdc++ -static-libgcc)
endif()
