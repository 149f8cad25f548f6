# Files inside the binary, byte for byte, mapped with it and never parsed.
#
#   trainyard_embed(target symbol file)
#
# gives `target` the function `std::string_view trainyard::embedded_<symbol>()`: the content of
# `file`, aligned to 64 bytes. The function is declared where it is used.
#
#   trainyard_embed_folder(target symbol folder)
#
# does so for an archive of all files below `folder`, which may also be one file, to be read by EmbeddedFiles
# (source/embedded_files.h). Beside each `x.yaml` lies its parsed document, `x.yaml.tree`
# (tree/tree_image.h); a YAML file that is broken breaks the build.
#
# `.incbin` costs 10 ms for a megabyte, an array in a source file two seconds.
function(trainyard_embed target symbol file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cc)
  # A compiler cache does not see what `.incbin` reads, and would give out the file of another build. It sees this.
  add_custom_command(OUTPUT ${file}.stamp.h
                     COMMAND ${CMAKE_COMMAND} -DFILE=${file} -P ${CMAKE_SOURCE_DIR}/cmake/tools/Stamp.cmake
                     DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/tools/Stamp.cmake VERBATIM)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[
#include "@file@.stamp.h"

#include <cstddef>
#include <string_view>

asm(R"(
.pushsection .rodata
.balign 64
trainyard_embedded_@symbol@:
.incbin "@file@"
trainyard_embedded_@symbol@_end:
.byte 0
.popsection
)");

extern "C" {
extern const char begin_of_@symbol@[] asm("trainyard_embedded_@symbol@") __attribute__((visibility("hidden")));
extern const char end_of_@symbol@[] asm("trainyard_embedded_@symbol@_end") __attribute__((visibility("hidden")));
}

namespace trainyard {

std::string_view embedded_@symbol@();
std::string_view embedded_@symbol@() {
  return {begin_of_@symbol@, static_cast<std::size_t>(end_of_@symbol@ - begin_of_@symbol@)};
}

}  // namespace trainyard
]=])
  # What assembler text defines cannot be found when sources are optimised together.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${file};${file}.stamp.h" COMPILE_OPTIONS -fno-lto)
  target_sources(${target} PRIVATE ${source})
endfunction()

function(trainyard_embed_folder target symbol folder)
  # A library of another build has its files already.
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    return()
  endif()
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.archive)
  if(IS_DIRECTORY ${folder})
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  else()
    set(files ${folder})
  endif()
  add_custom_command(OUTPUT ${archive} COMMAND trainyard-archive ${archive} ${folder}
                     DEPENDS trainyard-archive ${files}
                     COMMENT "Archiving ${symbol}" VERBATIM)
  trainyard_embed(${target} ${symbol} ${archive})
endfunction()
