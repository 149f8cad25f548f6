# Private to our own targets: a dependency's headers are system headers and stay silent.
add_library(trainyard_options INTERFACE)
target_compile_options(trainyard_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused -Wnull-dereference -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Wrong about std::string and std::vector when they are inlined (GCC bugs 105329, 105651, 108860).
  target_compile_options(trainyard_options INTERFACE
    -Wno-null-dereference -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  if(TRAINYARD_SANITIZE)
    # The instrumentation hides initialisations from it, in std::regex for one (GCC bug 105562).
    target_compile_options(trainyard_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Blames us for what the stable_sort of libstdc++ 12 does inside.
  target_compile_options(trainyard_options INTERFACE -Wno-deprecated-declarations)
endif()
if(TRAINYARD_WERROR)
  target_compile_options(trainyard_options INTERFACE -Werror)
endif()
if(TRAINYARD_SANITIZE)
  target_compile_options(trainyard_options INTERFACE
    -fsanitize=${TRAINYARD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(trainyard_options INTERFACE -fsanitize=${TRAINYARD_SANITIZE})
  # libFuzzer comes with clang.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND TRAINYARD_SANITIZE MATCHES "address")
    set(TRAINYARD_FUZZ ON)
    target_compile_options(trainyard_options INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endif()
