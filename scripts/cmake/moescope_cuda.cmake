# MOESCOPE_CUDA=AUTO|ON|OFF; finds nvcc and sets MOESCOPE_HAVE_CUDA. Included by the top level, where
# a language has to be enabled.
set(MOESCOPE_HAVE_CUDA FALSE)
if(NOT MOESCOPE_CUDA STREQUAL "OFF")
  set(CMAKE_CUDA_ARCHITECTURES OFF)  # cuda/CMakeLists.txt names the target: sm_90a only, no PTX
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(MOESCOPE_HAVE_CUDA TRUE)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know nvcc's spelling
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
  elseif(MOESCOPE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "MOESCOPE_CUDA=ON, but there is no CUDA compiler (nvcc) on the PATH")
  endif()
endif()
