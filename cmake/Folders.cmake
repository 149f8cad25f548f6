# One static library per folder of compiler/, linked against the folders that it may see.
#
#   trainyard_folder(tree SEES source diag USES yaml-cpp::yaml-cpp)
#
# `SEES` is enforced twice: the linker knows only these, and the test `includes` reads the #include
# lines against this very call.
function(trainyard_folder name)
  cmake_parse_arguments(ARG "" "" "SEES;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cc)
  add_library(trainyard_${name} STATIC ${sources})
  target_include_directories(trainyard_${name} PUBLIC ${CMAKE_SOURCE_DIR}/compiler)
  target_link_libraries(trainyard_${name} PRIVATE trainyard_options)
  foreach(seen ${ARG_SEES})
    target_link_libraries(trainyard_${name} PUBLIC trainyard_${seen})
  endforeach()
  target_link_libraries(trainyard_${name} PRIVATE ${ARG_USES})
endfunction()
