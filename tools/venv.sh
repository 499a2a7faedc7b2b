#!/bin/bash
# tools/venv.sh NAME: makes build/venv/NAME from tools/python/NAME.txt or bench/python/NAME.txt where it is missing or out of date,
# and prints its Python. Exit codes: 0 made or already there, 2 no such NAME, 3 it could not be made,
# 77 the package index cannot be reached (ctest counts that as skipped).
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

[ $# = 1 ] && { [ -f "tools/python/$1.txt" ] || [ -f "bench/python/$1.txt" ]; } ||
  fail "tools/venv.sh: expects one name, for which tools/python/NAME.txt or bench/python/NAME.txt stands ($(
    cd tools/python && echo *.txt; cd ../../bench/python && echo *.txt))" 2
status=0
ensure_venv "$1" || status=$?
case $status in
  0) echo "$PWD/build/venv/$1/bin/python" ;;
  2) exit 77 ;;
  *) exit 3 ;;
esac
