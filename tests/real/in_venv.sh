#!/bin/bash
# in_venv.sh NAME SCRIPT ARGS...: runs a Python script in build/venv/NAME, made on the first call.
# 77, "skipped" to ctest, where the package index cannot be reached; any other failure to make it fails.
set -euo pipefail
python=$("$(dirname "$0")/../../tools/venv.sh" "$1")
exec "$python" "${@:2}"
