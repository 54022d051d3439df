#!/bin/sh
# Fuzzes every target of every package for FUZZTIME each, one after the other:
# go test -fuzz takes one target and one package at a time.
set -eu
: "${FUZZTIME:=3s}" "${GO:=go}"
found=0
for file in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | sort); do
	dir=./$(dirname "$file")
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		found=$((found + 1))
		echo "fuzz $dir $target"
		"$GO" test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZTIME" "$dir"
	done
done
[ "$found" -gt 0 ] || { echo "no fuzz target found"; exit 1; }
