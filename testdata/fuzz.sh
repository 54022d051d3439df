#!/bin/sh
# Fuzzes every target of every package for FUZZTIME each, one after the other:
# go test -fuzz takes one target and one package at a time.
set -eu
: "${FUZZTIME:=3s}" "${GO:=go}"

# fuzz runs one target. A machine that is busy when the time is up makes go test
# fail with "context deadline exceeded" and nothing else: no input was found, and
# the target is run again, twice at most. Any other failure is one.
fuzz() {
	for try in 1 2 3; do
		log=$(mktemp)
		if "$GO" test -run '^$' -fuzz "^$2\$" -fuzztime "$FUZZTIME" "$1" >"$log" 2>&1; then
			cat "$log"
			rm -f "$log"
			return 0
		fi
		cat "$log"
		if grep -q 'Failing input written\|panic:\|race detected' "$log" || ! grep -q '^ *context deadline exceeded$' "$log"; then
			rm -f "$log"
			return 1
		fi
		rm -f "$log"
	done
	return 1
}

found=0
for file in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | sort); do
	dir=./$(dirname "$file")
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		found=$((found + 1))
		echo "fuzz $dir $target"
		fuzz "$dir" "$target"
	done
done
[ "$found" -gt 0 ] || { echo "no fuzz target found"; exit 1; }
