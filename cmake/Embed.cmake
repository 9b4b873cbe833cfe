set(CACHESCAPE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)

# cachescape_embed(VARIABLE HEADER x/y.hpp NAMESPACE a::b FUNCTION f FILES …)
# Files by ascending name as `std::span<const bytes::EmbeddedFile> a::b::f()`, which the header declares; VARIABLE becomes the source to compile.
function(cachescape_embed variable)
  cmake_parse_arguments(arg "" "HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  list(SORT arg_FILES)
  list(JOIN arg_FILES "|" list)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D HEADER=${arg_HEADER} -D NAMESPACE=${arg_NAMESPACE} -D FUNCTION=${arg_FUNCTION} -D "FILES=${list}" -P ${CACHESCAPE_EMBED_SCRIPT}
    DEPENDS ${arg_FILES} ${CACHESCAPE_EMBED_SCRIPT}
    COMMENT "Embedding ${arg_FUNCTION}"
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
