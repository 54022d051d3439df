#!/bin/sh
# Fuzzes every target of every package for FUZZTIME each: go test -fuzz takes one
# target and one package at a time, so LANES of them are at work side by side, each
# with one worker.
set -eu
: "${FUZZTIME:=3s}" "${GO:=go}" "${LANES:=$(getconf _NPROCESSORS_ONLN)}"
export FUZZTIME GO

# With two arguments: one target. A machine that is busy when the time is up makes
# go test fail with "context deadline exceeded" and nothing else: no input was
# found, and the target is run again, twice at most. Any other failure is one.
if [ $# -eq 2 ]; then
	for try in 1 2 3; do
		log=$(mktemp)
		if "$GO" test -run '^$' -fuzz "^$2\$" -fuzztime "$FUZZTIME" -parallel 1 "$1" >"$log" 2>&1; then
			echo "fuzz $2: $(tail -n 1 "$log")"
			rm -f "$log"
			exit 0
		fi
		echo "fuzz $1 $2"
		cat "$log"
		if grep -q 'Failing input written\|panic:\|race detected' "$log" || ! grep -q '^ *context deadline exceeded$' "$log"; then
			rm -f "$log"
			exit 255 # no other one is begun
		fi
		rm -f "$log"
	done
	exit 255
fi

targets=$(
	for file in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | sort); do
		sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|./$(dirname "$file") \1|p" "$file"
	done
)
[ -n "$targets" ] || { echo "no fuzz target found"; exit 1; }
echo "$targets" | xargs -L 1 -P "$LANES" "$0"
