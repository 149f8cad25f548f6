# One place that knows how the distributions name their packages: Debian 12 and 13, Ubuntu 24.04.
# Nothing is downloaded.

include(StaticLink) # a static release takes the archives; what follows finds the rest

if(NOT TARGET yaml-cpp::yaml-cpp)
  find_package(yaml-cpp REQUIRED)
endif()
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp) # 0.7 calls it so
endif()

find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# RE2 has a package file only in newer releases.
if(NOT TARGET re2::re2)
  find_package(re2 CONFIG QUIET)
endif()
if(NOT TARGET re2::re2)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
  add_library(re2::re2 ALIAS PkgConfig::RE2)
endif()

# trainyard-cluster alone uses it; it has no archive, so that program is dynamic. 7.85 is below what any of them has.
if(TRAINYARD_CLUSTER)
  find_package(CURL 7.85 QUIET)
  if(NOT CURL_FOUND)
    message(STATUS "No libcurl: trainyard-cluster is left out")
    set(TRAINYARD_CLUSTER OFF)
  endif()
endif()

if(TRAINYARD_TESTS)
  find_package(Catch2 3 QUIET)
  if(NOT Catch2_FOUND)
    message(STATUS "No Catch2 3: the tests are left out")
    set(TRAINYARD_TESTS OFF)
  endif()
endif()
if(TRAINYARD_BENCH)
  find_package(benchmark QUIET)
endif()

# Only tests use valijson: it checks the verdicts of schema/ and policy/ (docs/architecture.md says why policy/ does
# not use it). Debian's package needs Qt and Poco for adapters that no test uses, so scripts/deps unpacks its headers
# without installing it.
find_path(TRAINYARD_VALIJSON_INCLUDE valijson/validator.hpp
          HINTS $ENV{TRAINYARD_VALIJSON_ROOT}/usr/include
                $ENV{XDG_CACHE_HOME}/trainyard/valijson/usr/include
                $ENV{HOME}/.cache/trainyard/valijson/usr/include)
if(TRAINYARD_VALIJSON_INCLUDE)
  add_library(trainyard_valijson INTERFACE)
  target_include_directories(trainyard_valijson SYSTEM INTERFACE ${TRAINYARD_VALIJSON_INCLUDE})
endif()
