# How a component is built: warnings, sanitizers, its library, and the tests that sit beside its code.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

add_library(cachescape_warnings INTERFACE)
target_compile_options(cachescape_warnings INTERFACE
  -Wall -Wextra -Wconversion -Werror
  # g++ 12 raises these falsely in its own headers when optimising.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  # libstdc++ 12 uses what it has deprecated itself; g++ leaves signs out of conversions in C++.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations -Wno-sign-conversion>)
add_library(cachescape_options INTERFACE)
target_link_libraries(cachescape_options INTERFACE cachescape_warnings)
if(CACHESCAPE_SANITIZE)
  target_compile_options(cachescape_options INTERFACE
    -fsanitize=${CACHESCAPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(cachescape_options INTERFACE -fsanitize=${CACHESCAPE_SANITIZE})
endif()
if(CACHESCAPE_FUZZ)
  target_compile_options(cachescape_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# How much the optimiser is worth to a component: HOT ones are optimised even for sanitizers, with their tests, so that
# these do not take minutes; COLD ones, where nothing is hot, are optimised little, so that building does not take minutes.
set(optimise_hot $<$<CONFIG:RelWithDebInfo>:-O1>)
set(optimise_cold $<$<CONFIG:Release>:-O1>)

# Headers of libraries take longer to compile than what includes them: they are compiled once for all, as often as there are
# ways to optimise. CMAKE_DISABLE_PRECOMPILE_HEADERS does without, and shows which file forgets to include what it uses.
file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
foreach(kind hot plain cold)
  add_library(${kind}_headers STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/headers.cpp)
  target_compile_options(${kind}_headers PRIVATE ${optimise_${kind}})
  target_link_libraries(${kind}_headers PRIVATE fmt::fmt cachescape_options)
  target_precompile_headers(${kind}_headers PRIVATE
    <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <tuple> <utility> <vector>
    <boost/unordered/unordered_flat_map.hpp> <fmt/format.h> <nlohmann/json.hpp>)
endforeach()

add_custom_target(unit_tests)

if(CACHESCAPE_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  # The tests themselves go without the undefined-behaviour sanitizer, which doubles the time that they take to compile;
  # what they test has it.
  string(REPLACE ",undefined" "" test_sanitizer "${CACHESCAPE_SANITIZE}")
  function(cachescape_as_test target)
    if(test_sanitizer)
      target_compile_options(${target} PRIVATE -fsanitize=${test_sanitizer} -fno-omit-frame-pointer)
      target_link_options(${target} PRIVATE -fsanitize=${CACHESCAPE_SANITIZE})
    endif()
    target_link_libraries(${target} PRIVATE cachescape_warnings GTest::gtest_main rapidcheck Threads::Threads fmt::fmt)
    # Tests are compiled more often than they run: do not spend minutes on optimising them.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_compile_definitions(${target} PRIVATE CACHESCAPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endfunction()
  foreach(headers test_headers hot_test_headers)
    add_executable(${headers} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/headers.cpp)
    cachescape_as_test(${headers})
    target_precompile_headers(${headers} PRIVATE <gtest/gtest.h> <rapidcheck/gtest.h> <fmt/format.h>)
  endforeach()
  target_compile_options(hot_test_headers PRIVATE ${optimise_hot})
endif()

# cachescape_component(NAME [HOT|COLD] SOURCES a.cpp … APART b.cpp … DEPENDS cachescape_x … LIBRARIES zstd …)
# Makes the static library cachescape_NAME from SOURCES, and, from every *_test.cpp below this folder, the
# test program NAME_test. CMAKE_UNITY_BUILD compiles many files as one, in a third of the time; those APART, which
# use the same names as their neighbours for things of their own, stay by themselves.
function(cachescape_component name)
  cmake_parse_arguments(arg "HOT;COLD" "" "SOURCES;APART;DEPENDS;LIBRARIES" ${ARGN})
  set(target cachescape_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  set(kind plain)
  if(arg_HOT)
    set(kind hot)
  elseif(arg_COLD)
    set(kind cold)
  endif()
  target_compile_options(${target} PRIVATE ${optimise_${kind}})
  if(arg_SOURCES MATCHES "\\.cpp(;|$)") # some are written in C
    target_precompile_headers(${target} REUSE_FROM ${kind}_headers)
  endif()
  target_link_libraries(${target}
    PUBLIC cachescape_vocabulary ${arg_DEPENDS} fmt::fmt
    PRIVATE cachescape_options ${arg_LIBRARIES})
  if(CACHESCAPE_TESTS)
    file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
    if(tests)
      add_executable(${name}_test EXCLUDE_FROM_ALL ${tests})
      target_link_libraries(${name}_test PRIVATE ${target} ${arg_LIBRARIES})
      cachescape_as_test(${name}_test)
      if(arg_HOT)
        target_compile_options(${name}_test PRIVATE ${optimise_hot})
        target_precompile_headers(${name}_test REUSE_FROM hot_test_headers)
      else()
        target_precompile_headers(${name}_test REUSE_FROM test_headers)
      endif()
      # All cases in one process: what several of them need is made once, and sanitizers start once. Long ones first.
      add_test(NAME unit.${name} COMMAND ${name}_test --gtest_brief=1)
      set_tests_properties(unit.${name} PROPERTIES LABELS unit COST $<IF:$<BOOL:${arg_HOT}>,100,1>)
      add_dependencies(unit_tests ${name}_test)
    endif()
  endif()
endfunction()
