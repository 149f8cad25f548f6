# The pack inside the binary. Whoever sees `schema` gets it, except for the programs that run before
# it exists (TRAINYARD_BUILD_TOOL).
set(schemas ${CMAKE_SOURCE_DIR}/schemas)
set(image ${CMAKE_CURRENT_BINARY_DIR}/embedded/schemas.pack)
file(GLOB_RECURSE schema_files CONFIGURE_DEPENDS ${schemas}/*.json ${schemas}/*.yaml)
add_custom_command(OUTPUT ${image} COMMAND trainyard-pack ${image} ${schemas}
                   DEPENDS trainyard-pack ${schema_files}
                   COMMENT "Packing schemas" VERBATIM)

add_library(trainyard_schema_builtin STATIC
  ${CMAKE_CURRENT_SOURCE_DIR}/schema/builtin/builtin_pack.cc)
target_link_libraries(trainyard_schema_builtin PUBLIC trainyard_schema PRIVATE trainyard_options)
trainyard_embed(trainyard_schema_builtin schemas ${image})

target_link_libraries(trainyard_schema INTERFACE
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRAINYARD_BUILD_TOOL>>>:trainyard_schema_builtin>)
