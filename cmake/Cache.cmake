# A compiler cache, where there is one.
find_program(TRAINYARD_CCACHE ccache)
mark_as_advanced(TRAINYARD_CCACHE)
if(TRAINYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_SOURCE_DIR}/cmake/cached-compiler ${CMAKE_SOURCE_DIR} ${TRAINYARD_CCACHE})
endif()
