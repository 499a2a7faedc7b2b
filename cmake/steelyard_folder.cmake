# One folder of src/ is one static library, and it links only the folders it names, which must
# come earlier in the flow (src/CMakeLists.txt holds the order; tests/layers.py checks the includes).
#
#   steelyard_folder(wire USES base quantity LIBS OpenSSL::SSL PCH asio)
#
# PCH picks a shared precompiled header: "plain" (the standard library, fmt, expected), "asio" or
# "command" (asio and CLI11).
function(steelyard_folder name)
  cmake_parse_arguments(ARG "" "PCH" "USES;LIBS" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH plain)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc ${CMAKE_CURRENT_SOURCE_DIR}/*.S)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  add_library(steelyard_${name} STATIC ${sources})
  target_include_directories(steelyard_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(steelyard_${name} PUBLIC fmt::fmt ${ARG_LIBS})
  foreach(used IN LISTS ARG_USES)
    list(FIND STEELYARD_FLOW ${used} used_at)
    list(FIND STEELYARD_FLOW ${name} name_at)
    if(used_at EQUAL -1 OR NOT used_at LESS name_at)
      message(FATAL_ERROR "src/${name} may not use src/${used}: it does not come earlier in the flow")
    endif()
    target_link_libraries(steelyard_${name} PUBLIC steelyard_${used})
  endforeach()
  target_precompile_headers(steelyard_${name} REUSE_FROM steelyard_pch_${ARG_PCH})
  set_target_properties(steelyard_${name} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endfunction()
