# libtrainyard, the program as a library for C: compiler/library/trainyard.h. The folder is in every build, so that tests
# call it. Where programs are linked statically, this makes what ships: libtrainyard.so, which needs the distribution's
# libraries or those beside it in `trainyard/`, and libtrainyard.a, all folders in one archive.
#
# TRAINYARD_LIBRARY turns both off.

option(TRAINYARD_LIBRARY "Build libtrainyard, shared and static" ON)
if(NOT TRAINYARD_LIBRARY OR NOT TRAINYARD_STATIC OR TRAINYARD_SANITIZE)
  return()
endif()

# The shared libraries come first: then the linker takes nothing out of the archives of the same names, whose code is
# for programs. What this exports stands in the header.
file(WRITE ${CMAKE_BINARY_DIR}/no_source.cc "")
add_library(trainyard_shared SHARED ${CMAKE_BINARY_DIR}/no_source.cc)
set_target_properties(trainyard_shared PROPERTIES
  OUTPUT_NAME trainyard VERSION ${PROJECT_VERSION} SOVERSION 1 LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} BUILD_RPATH "\$ORIGIN/trainyard" INSTALL_RPATH "\$ORIGIN/trainyard")
cmake_path(GET TRAINYARD_re2__re2_ARCHIVE PARENT_PATH libraries)
target_link_options(trainyard_shared PRIVATE "LINKER:-L${libraries},-rpath-link,${libraries}"
  LINKER:--push-state,--no-as-needed -lre2 -lyaml-cpp LINKER:--pop-state
  LINKER:--version-script=${CMAKE_SOURCE_DIR}/packaging/library/exports.map LINKER:--disable-new-dtags LINKER:-z,relro,-z,now,-z,noexecstack)
target_link_libraries(trainyard_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,trainyard_library>)

# Folders by the order of the table; an archive has no order.
get_property(archives GLOBAL PROPERTY TRAINYARD_FOLDERS)
list(REMOVE_ITEM archives cluster live)
list(APPEND archives schema_builtin)
list(TRANSFORM archives REPLACE "(.+)" "addlib $<TARGET_FILE:trainyard_\\1>" OUTPUT_VARIABLE lines)
list(JOIN lines "\n" lines)
set(archive ${CMAKE_BINARY_DIR}/libtrainyard.a)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/libtrainyard.mri
  CONTENT "create libtrainyard.a\n${lines}\nsave\nend\n")
add_custom_command(OUTPUT ${archive} COMMAND ${CMAKE_AR} -M < ${CMAKE_BINARY_DIR}/libtrainyard.mri
  DEPENDS ${CMAKE_BINARY_DIR}/libtrainyard.mri trainyard_shared WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  COMMENT "Archive libtrainyard.a" VERBATIM)
add_custom_target(libraries DEPENDS trainyard_shared ${archive})

configure_file(${CMAKE_SOURCE_DIR}/packaging/library/trainyard.pc.in ${CMAKE_BINARY_DIR}/trainyard.pc @ONLY)
configure_file(${CMAKE_SOURCE_DIR}/packaging/library/trainyard-config.cmake.in ${CMAKE_BINARY_DIR}/trainyard-config.cmake @ONLY)

install(TARGETS trainyard_shared LIBRARY DESTINATION lib COMPONENT library)
install(FILES ${archive} DESTINATION lib COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/compiler/library/trainyard.h DESTINATION include COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/trainyard.pc DESTINATION lib/pkgconfig COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/trainyard-config.cmake DESTINATION lib/cmake/trainyard COMPONENT library)
