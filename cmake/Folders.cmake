# One static library per folder of compiler/, linked against the folders that it may see.
#
#   trainyard_folder(tree SEES source diag USES yaml-cpp::yaml-cpp COMMON header.h)
#
# `SEES` is enforced twice: the linker knows only these, and the test `includes` reads the #include
# lines against this very call. A folder `WHEN` a variable is left out where it is off. `COMMON` are headers that most sources of the folder include: they are
# compiled once, with the standard ones. Worth it where that takes over a second of each source.
# What fuzzers spend their time in: optimised although the sanitized build as a whole is not, which halves its time.
set(TRAINYARD_FUZZED_MOST source diag tree schema spec plan target emit)

# What threads share lies in these folders. The others hold no state (test `state`), so a build with the thread
# sanitizer takes them from the build that TRAINYARD_OTHERS_FROM names.
set(TRAINYARD_SHARED_BY_THREADS source diag tree shape schema check emit driver)

function(trainyard_folder name)
  cmake_parse_arguments(ARG "" "WHEN" "SEES;USES;COMMON" ${ARGN})
  if(ARG_WHEN AND NOT ${ARG_WHEN})
    return()
  endif()
  if(TRAINYARD_OTHERS_FROM AND NOT name IN_LIST TRAINYARD_SHARED_BY_THREADS)
    add_library(trainyard_${name} STATIC IMPORTED GLOBAL)
    set_target_properties(trainyard_${name} PROPERTIES
      IMPORTED_LOCATION ${TRAINYARD_OTHERS_FROM}/compiler/libtrainyard_${name}.a)
    target_include_directories(trainyard_${name} INTERFACE ${CMAKE_SOURCE_DIR}/compiler)
    list(TRANSFORM ARG_SEES PREPEND trainyard_)
    target_link_libraries(trainyard_${name} INTERFACE ${ARG_SEES} ${ARG_USES})
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY TRAINYARD_FOLDERS ${name})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cc)
  add_library(trainyard_${name} STATIC ${sources})
  target_include_directories(trainyard_${name} PUBLIC ${CMAKE_SOURCE_DIR}/compiler)
  target_link_libraries(trainyard_${name} PRIVATE trainyard_options)
  foreach(seen ${ARG_SEES})
    target_link_libraries(trainyard_${name} PUBLIC trainyard_${seen})
  endforeach()
  target_link_libraries(trainyard_${name} PRIVATE ${ARG_USES})
  set(is_optimised_alone OFF)
  if(TRAINYARD_FUZZ AND name IN_LIST TRAINYARD_FUZZED_MOST)
    set(is_optimised_alone ON)
    target_compile_options(trainyard_${name} PRIVATE -O1)
  endif()
  if(ARG_COMMON OR is_optimised_alone) # the shared one is of other options
    list(TRANSFORM ARG_COMMON REPLACE "(.+)" "<\\1>") # by the include path, the same in each checkout
    target_precompile_headers(trainyard_${name} PRIVATE ${TRAINYARD_STANDARD_HEADERS} ${ARG_COMMON})
  else()
    target_precompile_headers(trainyard_${name} REUSE_FROM trainyard_precompiled)
  endif()
endfunction()
