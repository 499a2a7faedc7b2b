#!/bin/sh
# with_node.sh SCRIPT ARGUMENT...: runs it, or says that there is no Node and skips (77).
command -v node >/dev/null || { echo "skipped: there is no node command"; exit 77; }
exec node "$@"
