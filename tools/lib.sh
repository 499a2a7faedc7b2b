# What ./demo and ./test share: words, installing what is missing, building. Sourced, never run.
# Exit codes as the program's: 2 bad input, 3 the environment failed.

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$1" >&2; exit "${2:-3}"; }

# What building and running need, and what the tests need on top. All from Debian 12.
STEELYARD_BUILD_PACKAGES="ca-certificates ccache cmake g++ git mold ninja-build pkg-config python3
  libboost1.81-dev libcli11-dev libexpected-dev libfmt-dev libnghttp2-dev libsimdjson-dev
  libsqlite3-dev libsqlitecpp-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev prometheus-cpp-dev
  zlib1g-dev"
# The CPU engine and the Python clients live in virtual environments (ensure_venv).
STEELYARD_PYTHON_PACKAGES="python3-venv"
# The page is read in Chromium; the fonts are for its screenshots. Node may be here from elsewhere, and
# Debian's npm conflicts with a nodejs that brings its own, so the two come only where a command is absent.
STEELYARD_PAGE_PACKAGES="chromium fonts-liberation fonts-wqy-microhei"
command -v node >/dev/null || STEELYARD_PAGE_PACKAGES="$STEELYARD_PAGE_PACKAGES nodejs"
command -v npm >/dev/null || STEELYARD_PAGE_PACKAGES="$STEELYARD_PAGE_PACKAGES npm"
STEELYARD_TEST_PACKAGES="clang-format-19 libgmock-dev libgtest-dev nghttp2-proxy python3-jsonschema $STEELYARD_PYTHON_PACKAGES $STEELYARD_PAGE_PACKAGES"
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

# configure_preset NAME [OPTION...]: once, and again when the options are others.
configure_preset() {
  local preset="$1" given="build/$1-options"
  if [ -f "build/$preset/build.ninja" ] && [ "$(cat "$given" 2>/dev/null)" = "$*" ]; then
    return 0
  fi
  cmake --preset "$@" >"build/$preset-configure.log" 2>&1 || {
    tail -20 "build/$preset-configure.log" >&2
    fail "cmake could not configure '$preset'; see build/$preset-configure.log"
  }
  echo "$*" >"$given"
}

# build_preset NAME: everything, the tests too.
build_preset() {
  say "building ($1)"
  configure_preset "$1" $([ "$1" = fuzz ] || echo -DSTEELYARD_TESTS=ON)
  cmake --build --preset "$1" || fail "the build '$1' failed"
}

# build_program: build/release/steelyard and nothing else; needs none of the tests' packages. A tree that
# ./test has configured is taken as it is.
build_program() {
  say "building build/release/steelyard"
  [ -f build/release/build.ninja ] || configure_preset release -DSTEELYARD_TESTS=OFF
  cmake --build --preset release --target steelyard >&2 || fail "the build failed"
}

# ensure_venv NAME: build/venv/NAME with exactly what tools/python/NAME.txt (or bench/python/NAME.txt) pins. Instant when it stands.
# Never exits: one line says why, and it returns 2 when the package index cannot be reached, 1 for any
# other reason, so that callers can go on without. pip's own settings (PIP_INDEX_URL, pip.conf) hold.
# The interpreter is Debian's by its path: the pins are for its version, and PATH may hold another.
ensure_venv() {
  local venv="build/venv/$1" requirements="tools/python/$1.txt"
  [ -f "$requirements" ] || requirements="bench/python/$1.txt"
  mkdir -p build/venv
  # The lock is for tests that run side by side and want the same one.
  (
    flock 9
    local mark
    mark="$PWD $(sha256sum <"$requirements")"  # a venv works only where it was made
    [ "$(cat "$venv/.done" 2>/dev/null)" != "$mark" ] || exit 0
    say "making $venv"
    rm -rf "$venv"
    make_venv "$venv" "$requirements" >"$venv.log" 2>&1 || { say_why_no_venv "$1"; exit; }
    echo "$mark" >"$venv/.done"
  ) 9>"$venv.lock"
}

make_venv() {
  /usr/bin/python3 -m venv "$1" && "$1/bin/python" -m pip --disable-pip-version-check --retries 1 \
    install --no-cache-dir --only-binary :all: --require-hashes --no-deps -r "$2"
}

say_why_no_venv() {
  local log="build/venv/$1.log"
  if grep -qE 'connection broken|HTTP error|Client Error|Server Error|Connection.*(refused|reset)|timed out' "$log"; then
    echo "build/venv/$1: the Python package index cannot be reached; see $log" >&2
    return 2
  fi
  echo "build/venv/$1: $(grep -E 'ERROR|[Ee]rror|not available' "$log" | head -1 | cut -c1-200); see $log" >&2
  return 1
}
