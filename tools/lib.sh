# What ./demo and ./test share: words, installing what is missing, building. Sourced, never run.
# Exit codes as the program's: 2 bad input, 3 the environment failed.

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$1" >&2; exit "${2:-3}"; }

# What building and running need, and what the tests need on top. All from Debian 12.
STEELYARD_BUILD_PACKAGES="ca-certificates ccache cmake g++ git mold ninja-build python3
  libboost1.81-dev libcli11-dev libexpected-dev libfmt-dev libsimdjson-dev
  libsqlite3-dev libsqlitecpp-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev prometheus-cpp-dev"
STEELYARD_TEST_PACKAGES="clang-format-19 libgmock-dev libgtest-dev"
STEELYARD_DEEP_PACKAGES="clang-19 clang-tidy-19 libclang-rt-19-dev"

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# install_packages NAME...: only the missing ones, as root or through sudo, from whatever mirror apt knows.
install_packages() {
  command -v dpkg-query >/dev/null || fail "this is not a Debian system; Steelyard builds on Debian 12 (a container of it will do)"
  local missing as_root=""
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "these Debian packages are missing and neither root nor sudo is at hand to install them: $(echo $missing)"
    as_root="sudo"
  fi
  say "installing $(echo "$missing" | wc -l) Debian packages"
  # One retry after an update: a fresh machine has no package lists, and an old one has stale ones.
  local apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0"
  if ! $apt install -y --no-install-recommends $missing >build/apt.log 2>&1; then
    { $apt update && $apt install -y --no-install-recommends $missing; } >>build/apt.log 2>&1 || {
      grep -E '^(E|Err|W):' build/apt.log | head -3 >&2
      fail "could not install: $(echo $missing). Is there a network and a Debian mirror? The whole of it is in build/apt.log"
    }
  fi
}

# build_preset NAME: configure once, then only what changed.
build_preset() {
  say "building ($1)"
  [ -f "build/$1/build.ninja" ] || cmake --preset "$1" >"build/$1-configure.log" 2>&1 || {
    tail -20 "build/$1-configure.log" >&2
    fail "cmake could not configure '$1'; see build/$1-configure.log"
  }
  cmake --build --preset "$1" || fail "the build '$1' failed"
}
