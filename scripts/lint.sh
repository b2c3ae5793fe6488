#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Style and static checks: clang-format, cppcheck, shellcheck, and the rules
# that people forget. Usage: scripts/lint.sh [BUILD] [--tidy]
# Exit status: 0 clean, 1 not. Long functions are named, but are no failure.
# shellcheck disable=SC2317 # functions are called through step
set -u
build=build tidy=
for argument; do
	case $argument in
	--tidy) tidy=1 ;;
	*) build=$argument ;;
	esac
done
cd "$(dirname "$0")/.." || exit 1
bad=0

# step NAME COMMAND...
step()
{
	local name=$1
	shift
	if "$@"; then
		echo "lint: $name: ok"
	else
		echo "lint: $name: FAILED"
		bad=1
	fi
}

# What git knows, and what is new but not ignored.
list()
{
	git ls-files -z --cached --others --exclude-standard "$@" | xargs -0 -r ls -d 2>/dev/null | sort -u
}
mapfile -t sources < <(list '*.c' '*.h' '*.cc')
mapfile -t scripts < <({ list '*.sh' '*.bash'; list | xargs -r grep -lE '^#!.*(bash|/sh)$' 2>/dev/null; } |
	grep -v '\.bats$' | sort -u)
mapfile -t suites < <(list '*.bats')

check_licences()
{
	local file wanted found missing=0
	while read -r file; do
		case $file in
		LICENSES/* | LICENSE | *.md | .gitignore | .clang-format | *.txt | *.dict | *.png | */golden/* | */corpus/* | scripts/packaging/debian/copyright) continue ;;
		include/* | preload/* | docs/examples/python/scprof.py) wanted=Apache-2.0 ;;
		*) wanted=GPL-3.0-or-later ;;
		esac
		found=$(head -n 3 "$file" | grep -aoE 'SPDX-License-Identifier: [A-Za-z0-9.-]+' | cut -d' ' -f2)
		[ "$found" = "$wanted" ] || {
			echo "$file: SPDX line says '${found:-nothing}', should be $wanted"
			missing=1
		}
	done < <(list)
	return "$missing"
}

# What can fail in GSL ends the process where its error handler is on: stats/numerics/distributions.c has it off.
check_gsl()
{
	! git grep -nE 'gsl_(cdf_([^u]|u[^g])|sf_)' -- 'stats/*.[ch]' 'report/*.[ch]' 'collector/*.[ch]' 'cli/*.[ch]' |
		grep -vE '^stats/numerics/distributions\.[ch]:|ugaussian|gsl_cdf\.h'
}

# A function's body opens with { and closes with } in the first column.
name_long_functions()
{
	awk 'FNR == 1 { start = 0 }
	/^\{/ { start = FNR }
	/^\}/ { if (start && FNR - start > 60) printf "lint: note: %s:%d: a function of %d lines\n", FILENAME, start, FNR - start
		start = 0 }' "${sources[@]}"
}

# Suppressed: what it takes for a dereference in offsetof written out (tests),
# for a use where an object is handed on to be filled in or a macro of uthash
# sets it, and at_quick_exit, which fails only when out of memory.
run_cppcheck()
{
	cppcheck -q --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability \
		--suppress=missingInclude --suppress=missingIncludeSystem --suppress=unknownMacro \
		--suppress=nullPointer:tests/* --suppress=allocaCalled:tests/* --suppress=ctuuninitvar \
		--suppress=uninitvar:profile/model/intern.c --suppress=ignoredReturnValue \
		-D__x86_64__ -D__linux__ -D__cppcheck__ -I. \
		preload profile stats collector report cli docs/examples tests
}

run_tidy()
{
	local file
	for file in "${sources[@]}"; do
		case $file in profile/*.c | stats/*.c | report/*.c | cli/*.c | collector/*.c) echo "$file" ;; esac
	done | xargs -r -n 4 -P 2 clang-tidy --quiet --warnings-as-errors='*' \
		-checks='-*,bugprone-*,clang-analyzer-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses,-bugprone-implicit-widening-of-multiplication-result,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling' \
		-- 2>/dev/null -std=gnu11 -D_GNU_SOURCE -I. "-Ipreload/arch/$(uname -m)"
}

step 'clang-format' clang-format --dry-run -Werror "${sources[@]}"
step 'shellcheck' shellcheck "${scripts[@]}"
# In bats: commands in single quotes are meant for inner shells, and `A && B ||
# { report; }` is how a test says what went wrong; each test is a subshell of its own.
step 'shellcheck of suites' shellcheck -e SC2016,SC2015,SC2030,SC2031,SC2034,SC1091,SC2154 "${suites[@]}"
step 'cppcheck' run_cppcheck
step 'licences' check_licences
step 'GSL is asked in one place' check_gsl
step 'list of functions' scripts/list_functions.sh --check
step 'links of the documents' scripts/check_links.py
step 'calls of the library run down only' scripts/check_layers.py "$build"
[ -z "$tidy" ] || step 'clang-tidy' run_tidy
if [ -e "$build/libscprof.so" ]; then
	step 'exported symbols' scripts/check_exports.sh "$build/libscprof.so"
	step 'undefined symbols' scripts/check_undefined.sh "$build/libscprof.so"
else
	echo "lint: no $build/libscprof.so: its symbols were not checked"
	bad=1
fi
name_long_functions
exit "$bad"
