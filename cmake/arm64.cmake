# A toolchain for arm64 on Debian and Ubuntu. TRAINYARD_SYSROOT holds the libraries (`scripts/deps release-arm64`
# unpacks them); the compiler's package brings libc. What the build runs of its own runs under qemu,
# with the compiler's libc.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRAINYARD_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${TRAINYARD_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# libcurl is there, and the libraries that it needs are not.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
set(ENV{PKG_CONFIG_LIBDIR} ${TRAINYARD_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
