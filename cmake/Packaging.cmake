# `cmake --install`, and CPack for a .deb and a .tar.gz. Everything is written by the program itself from
# the tables it runs on: `trainyard man` and `trainyard completion SHELL`, at install time.

if(NOT TARGET trainyard)
  return()
endif()

install(TARGETS trainyard RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# trainyard_install_printed(FILE DESTINATION ARGUMENTS...): what the program prints, installed as FILE.
function(trainyard_install_printed file destination)
  set(path ${CMAKE_CURRENT_BINARY_DIR}/printed/${file})
  list(JOIN ARGN " " arguments)
  install(CODE "
    file(MAKE_DIRECTORY \"${CMAKE_CURRENT_BINARY_DIR}/printed\")
    execute_process(COMMAND \"$<TARGET_FILE:trainyard>\" ${arguments} OUTPUT_FILE \"${path}\" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR \"trainyard ${arguments} failed: \${failed}\")
    endif()")
  install(FILES ${path} DESTINATION ${destination})
endfunction()

trainyard_install_printed(trainyard.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
set(completion_root ${CMAKE_INSTALL_DATADIR})
trainyard_install_printed(trainyard ${completion_root}/bash-completion/completions completion bash)
trainyard_install_printed(_trainyard ${completion_root}/zsh/vendor-completions completion zsh)
trainyard_install_printed(trainyard.fish ${completion_root}/fish/vendor_completions.d completion fish)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME trainyard)
set(CPACK_PACKAGE_VENDOR "The Trainyard authors")
set(CPACK_PACKAGE_CONTACT "The Trainyard authors <trainyard@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT) # goes to /usr; the archive unpacks to bin/ and share/
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
find_program(TRAINYARD_SHLIBDEPS dpkg-shlibdeps)
if(TRAINYARD_SHLIBDEPS) # a static program needs nothing; one that is not says what
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
