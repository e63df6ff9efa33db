# Targets of this project: one library per folder, one executable per test file.

# Flags that every translation unit of ours is compiled with. Contraction is off because results must not
# depend on the compiler: a fused multiply-add appears only where the source writes one.
add_library(moescope_flags INTERFACE)
target_include_directories(moescope_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(moescope_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Wconversion -Wshadow -ffp-contract=off>
  # g++ 12 sees overlapping copies in std::string::operator+ where there are none (GCC bug 105329).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${MOESCOPE_WERROR}>>:-Werror>)

# MOESCOPE_PCH: the headers that most files read, parsed once. It halves a build from nothing; scripts/build
# turns it on where no compiler cache is installed (the cache does better on all builds but the first).
# Every file still includes what it uses: builds with the cache do without.
set(library_headers
  <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
  <utility> <variant> <vector>
  <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/strings/str_format.h>
  <absl/strings/str_join.h> <absl/strings/str_split.h>)

# moescope_precompile(<target> <owner> <header>...): the owner compiles the headers, the others read them.
function(moescope_precompile target owner)
  if(NOT MOESCOPE_PCH)
    return()
  endif()
  if(target STREQUAL owner)
    foreach(header ${ARGN})
      target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endforeach()
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# moescope_library(<folder> SOURCES ... [PUBLIC ...] [PRIVATE ...])
# Makes the library moescope_<folder> with the alias moescope::<folder>.
function(moescope_library folder)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name "${folder}")
  add_library(moescope_${name} STATIC ${arg_SOURCES})
  add_library(moescope::${name} ALIAS moescope_${name})
  target_link_libraries(moescope_${name} PUBLIC ${arg_PUBLIC} PRIVATE moescope_flags ${arg_PRIVATE})
  target_include_directories(moescope_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  moescope_precompile(moescope_${name} moescope_base ${library_headers})
endfunction()

# moescope_test(<file>_test.cc [LIBRARIES ...] [LABELS ...] [TIMEOUT seconds])
# One executable and one ctest entry per test file; the entry is named after the folder and the file.
function(moescope_test source)
  cmake_parse_arguments(arg "" "TIMEOUT" "LIBRARIES;LABELS;SOURCES" ${ARGN})
  get_filename_component(stem "${source}" NAME_WE)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(entry "${stem}")
  if(folder)
    set(entry "${folder}/${stem}")
  endif()
  string(REPLACE "/" "_" name "${entry}")
  add_executable(${name} ${source} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE moescope_flags moescope_test_support GTest::gmock GTest::gtest GTest::gtest_main ${arg_LIBRARIES})
  moescope_precompile(${name} moescope_test_support)
  add_test(NAME ${entry} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set_tests_properties(${entry} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# moescope_embed(<target> <output header> <namespace> <file>...)
# Turns data files into constants of a generated header: one `inline constexpr std::string_view` per file,
# named k + the file's stem in camel case.
function(moescope_embed target header namespace)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/generated/${header}")
  set(inputs "")
  foreach(file ${ARGN})
    list(APPEND inputs "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DNAMESPACE=${namespace}" "-DINPUTS=${inputs}"
            -P "${PROJECT_SOURCE_DIR}/scripts/cmake/embed.cmake"
    DEPENDS ${inputs} "${PROJECT_SOURCE_DIR}/scripts/cmake/embed.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
endfunction()
