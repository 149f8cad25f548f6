# A compiler cache, where there is one, that serves every checkout: paths below the checkout do not count. Depend mode
# looks at the headers that the compiler really read; without it a precompiled header can be taken for another one.
find_program(TRAINYARD_CCACHE ccache)
mark_as_advanced(TRAINYARD_CCACHE)
if(TRAINYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TRAINYARD_CCACHE})
endif()
