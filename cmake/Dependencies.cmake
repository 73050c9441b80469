# What slotswap links, and the flags that every target shares.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers json)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# Debian's libxxhash-dev brings no CMake package.
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
add_library(slotswap_xxhash INTERFACE)
target_include_directories(slotswap_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE})
target_link_libraries(slotswap_xxhash INTERFACE ${XXHASH_LIBRARY})

add_library(slotswap_flags INTERFACE)
target_include_directories(slotswap_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_compile_features(slotswap_flags INTERFACE cxx_std_20)
# Mixing files with and without these two links silently and breaks at run time: every target has them.
target_compile_definitions(slotswap_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_compile_options(slotswap_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Wcast-qual -Wno-mismatched-new-delete
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>)
if(SLOTSWAP_WERROR)
  # g++ 12 takes a coroutine's result for uninitialised where it is not.
  target_compile_options(slotswap_flags INTERFACE -Werror
    $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)
endif()
if(SLOTSWAP_SANITIZE)
  target_compile_options(slotswap_flags INTERFACE
    -fsanitize=${SLOTSWAP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(slotswap_flags INTERFACE -fsanitize=${SLOTSWAP_SANITIZE})
  # With sanitizers g++ 12 takes a coroutine's result for uninitialised where it is not.
  target_compile_options(slotswap_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # Asio's recycled frames would hide a use after free.
  target_compile_definitions(slotswap_flags INTERFACE
    BOOST_ASIO_DISABLE_SMALL_BLOCK_RECYCLING BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
  if(SLOTSWAP_SANITIZE MATCHES "undefined")
    # These four double the compile time of an Asio file and find nothing there.
    target_compile_options(slotswap_flags INTERFACE
      -fno-sanitize=null,alignment,vptr,object-size
      $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  endif()
  if(SLOTSWAP_SANITIZE MATCHES "thread")
    target_compile_options(slotswap_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()
if(SLOTSWAP_FUZZ)
  # Every room shows the fuzzer its way; the targets add its main().
  target_compile_options(slotswap_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
