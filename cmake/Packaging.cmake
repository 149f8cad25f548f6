# `cmake --install`; scripts/package makes a .deb and a .tar.gz of it. The program itself writes its manual and its
# completions from the tables it runs on: `trainyard man` and `trainyard completion SHELL`, at install time. Where
# trainyard-cluster was built, it does so for both.

if(NOT TARGET trainyard)
  return()
endif()

install(TARGETS trainyard RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# A package of its own: it needs libcurl, and `trainyard` finds it there.
if(TARGET trainyard-cluster)
  install(TARGETS trainyard-cluster RUNTIME DESTINATION libexec/trainyard COMPONENT cluster)
endif()
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# scripts/sbom writes them when a release is packed.
foreach(file NOTICE trainyard.spdx.json)
  install(FILES ${CMAKE_BINARY_DIR}/sbom/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
endforeach()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.yaml")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# trainyard_install_printed(FILE DESTINATION ARGUMENTS...): what the program prints, installed as FILE.
function(trainyard_install_printed file destination)
  set(path ${CMAKE_CURRENT_BINARY_DIR}/printed/${file})
  list(JOIN ARGN " " arguments)
  install(CODE "
    file(MAKE_DIRECTORY \"${CMAKE_CURRENT_BINARY_DIR}/printed\")
    execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:trainyard>\" ${arguments} OUTPUT_FILE \"${path}\" RESULT_VARIABLE failed)
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
