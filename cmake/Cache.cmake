# A compiler cache, where there is one.
find_program(TRAINYARD_CCACHE ccache)
mark_as_advanced(TRAINYARD_CCACHE)
if(TRAINYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_SOURCE_DIR}/cmake/cached-compiler ${CMAKE_SOURCE_DIR} ${TRAINYARD_CCACHE})
endif()
# What is shipped has the same bytes wherever it is built (scripts/reproducible).
if(TRAINYARD_REPRODUCIBLE)
  file(RELATIVE_PATH up ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  set(TRAINYARD_REPRODUCIBLE_LAUNCHER ${CMAKE_SOURCE_DIR}/cmake/reproducible-compiler ${CMAKE_SOURCE_DIR} ${up})
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${TRAINYARD_REPRODUCIBLE_LAUNCHER})
endif()
