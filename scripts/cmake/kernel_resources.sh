#!/bin/sh
# kernel_resources.sh COMPILER [ARGUMENT]...
# Compiler launcher of CMake: runs the compiler and moves the lines of ptxas about kernels (-Xptxas
# -v) from its standard error to OBJECT.resources, where OBJECT follows -o. Everything else passes.
set -u
object=
previous=
for argument in "$@"; do
  [ "$previous" = -o ] && object=$argument
  previous=$argument
done
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
"$@" 2>"$said"
code=$?
pattern='^ptxas info|^ *[0-9]+ bytes stack frame'
[ -z "$object" ] || grep -E "$pattern" "$said" >"$object.resources"
grep -vE "$pattern" "$said" >&2
exit $code
