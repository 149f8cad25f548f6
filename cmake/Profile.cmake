# A build by a profile (scripts/release): the program is built so that it counts what it does, does some
# typical work, and is built again in the same directory by what it has counted. GCC alone.
set(TRAINYARD_PROFILE "" CACHE STRING "`generate` to count, `use` to build by the counts")
set_property(CACHE TRAINYARD_PROFILE PROPERTY STRINGS "" generate use)
set(TRAINYARD_COUNTS "counts" CACHE STRING "Folder of the counts: from here, or the same absolute path in every checkout")

# What bulk work goes through.
set(profiled_folders source tree shell schema spec plan rules target emit manifest check admission operators lints driver)
# Which of these run depends on the processor.
set(unprofiled_sources sha256.cc sha256_lanes.cc sha256_native.cc sha256_of_each.cc sha256_wide.cc)
list(TRANSFORM unprofiled_sources PREPEND ${CMAKE_SOURCE_DIR}/compiler/source/)

# After the folders are there.
function(trainyard_apply_profile)
  if(TRAINYARD_PROFILE STREQUAL "generate")
    set(profile_options -fprofile-generate=${TRAINYARD_COUNTS})
    target_link_options(trainyard_options INTERFACE -fprofile-generate)
  elseif(TRAINYARD_PROFILE STREQUAL "use")
    # What the typical work did not touch is built as ever, not for size. Functions that are inlined otherwise than
    # ever lead to warnings that are wrong (GCC bug 105562 and its like).
    set(profile_options -fprofile-use=${TRAINYARD_COUNTS} -fprofile-partial-training -fprofile-correction -Wno-missing-profile
      -Wno-maybe-uninitialized)
  elseif(TRAINYARD_PROFILE)
    message(FATAL_ERROR "TRAINYARD_PROFILE is `${TRAINYARD_PROFILE}`; expected `generate` or `use`")
  endif()
  if(TRAINYARD_PROFILE)
    foreach(folder ${profiled_folders})
      target_compile_options(trainyard_${folder} PRIVATE ${profile_options})
      # A compiler cache does not know what the counts of a source are.
      set_target_properties(trainyard_${folder} PROPERTIES CXX_COMPILER_LAUNCHER "${TRAINYARD_REPRODUCIBLE_LAUNCHER}")
    endforeach()
    set_source_files_properties(${unprofiled_sources} TARGET_DIRECTORY trainyard_source PROPERTIES
      COMPILE_OPTIONS "-fno-profile-arcs;-fno-profile-values;-fno-branch-probabilities")
  endif()

  # Together with a profile it is worth to optimise across sources; without one it makes bulk work slower. It also puts
  # what runs after each other side by side.
  if(TRAINYARD_PROFILE STREQUAL "use")
    get_property(all DIRECTORY ${CMAKE_SOURCE_DIR}/compiler PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${all})
      get_target_property(type ${target} TYPE)
      if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
        set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
        # libtrainyard.a has machine code, too: other compilers than this one link it.
        target_compile_options(${target} PRIVATE -ffat-lto-objects)
      endif()
    endforeach()
  endif()
endfunction()
