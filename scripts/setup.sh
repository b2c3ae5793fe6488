#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what building scprof needs and this machine lacks. Options add what else is needed:
#	--tests		by `make check`, `make lint` and `make sanitize`
#	--runtimes	by tests that are skipped otherwise; --shells too
#	--long, --bench, --fuzz	by `make check-long`, `make bench`, `make fuzz`
#	--list		only prints the missing packages
# It looks first: where nothing is missing, nothing runs. What the distribution lacks, or has too old, is named in
# one line before anything is installed; only what tests need is gone without. What the package manager says is kept in
# $BUILD/setup.log. Knows Debian's apt-get and Fedora's dnf. Where scprof cannot run it installs
# nothing. Exit status: 0 all there, 1 not.
set -euo pipefail

# What to look for | how | Debian's package, or several: the first that there is | Fedora's package
# how: command, header, file, or library (of the loader's: ldconfig).
needs_build='
cc|command|gcc|gcc
make|command|make|make
stdlib.h|header|libc6-dev|glibc-devel
libelf.h|header|libelf-dev|elfutils-libelf-devel
elfutils/libdwfl.h|header|libdw-dev|elfutils-devel
uthash.h|header|uthash-dev|uthash-devel
gsl/gsl_cdf.h|header|libgsl-dev|gsl-devel
jansson.h|header|libjansson-dev|jansson-devel
libiberty/demangle.h|header|libiberty-dev|binutils-devel
protobuf-c/protobuf-c.h|header|libprotobuf-c-dev|protobuf-c-devel
microhttpd.h|header|libmicrohttpd-dev|libmicrohttpd-devel
protoc-c|command|protobuf-c-compiler|protobuf-c-compiler
unistr.h|header|libunistring-dev|libunistring-devel
zlib.h|header|zlib1g-dev|zlib-devel
libunwind.h|header|libunwind-dev|libunwind-devel
curses.h|header|libncurses-dev|ncurses-devel
'
needs_tests='
cmocka.h|header|libcmocka-dev|libcmocka-devel
seccomp.h|header|libseccomp-dev|libseccomp-devel
g++|command|g++|gcc-c++
bzlib.h|header|libbz2-dev|bzip2-devel
bats|command|bats|bats
jq|command|jq|jq
gojq|command|gojq|
strace|command|strace|strace
gdb|command|gdb|gdb
curl|command|curl|curl
python3|command|python3|python3
chromium|command|chromium|chromium
ps|command|procps|procps-ng
file|command|file|file
readelf|command|binutils|binutils
groff|command|groff-base|groff-base
musl-gcc|command|musl-tools|musl-gcc
mold|command|mold|mold
ld.lld|command|lld|lld
aarch64-linux-gnu-gcc|command|gcc-aarch64-linux-gnu|gcc-aarch64-linux-gnu
aarch64-linux-gnu-g++|command|g++-aarch64-linux-gnu|gcc-c++-aarch64-linux-gnu
qemu-aarch64|command|qemu-user|qemu-user
clang-format|command|clang-format|clang-tools-extra
clang-tidy|command|clang-tidy|clang-tools-extra
cppcheck|command|cppcheck|cppcheck
shellcheck|command|shellcheck|ShellCheck
valgrind|command|valgrind|valgrind
script|command|bsdutils|util-linux-script
libjemalloc.so.2|library|libjemalloc2|jemalloc
libtcmalloc_minimal.so.4|library|libtcmalloc-minimal4,libtcmalloc-minimal4t64|gperftools-libs
libasan.so|library|libasan8,libasan6,libasan5|libasan
redis-server|command|redis-server|redis
redis-benchmark|command|redis-tools|redis
nginx|command|nginx|nginx
wrk|command|wrk|wrk
/usr/lib/python3*/*-packages/jsonschema|file|python3-jsonschema|python3-jsonschema
'
needs_bench='
hyperfine|command|hyperfine|hyperfine
uftrace|command|uftrace|uftrace
ltrace|command|ltrace|ltrace
perf|command|linux-perf|perf
gnuplot|command|gnuplot-nox|gnuplot
heaptrack|command|heaptrack|heaptrack
'
needs_fuzz='
afl-fuzz|command|afl++|american-fuzzy-lop
'
# Debian names the suite after the version of its Python.
python_version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo 3.11)
needs_long='
/usr/lib*/python3*/test/test_socket.py|file|libpython'$python_version'-testsuite|python3-test
/usr/share/doc/tcl*/|file|tcl|tcl
perl|command|perl|perl
ruby|command|ruby|ruby
php|command|php-cli|php-cli
gawk|command|gawk|gawk
git|command|git|git-core
rsync|command|rsync|rsync
sqlite3|command|sqlite3|sqlite
openssl|command|openssl|openssl
'

# What completion, packages and pprof are tried in, where it is there.
needs_shells='
zsh|command|zsh|zsh
fish|command|fish|fish
/usr/share/bash-completion/bash_completion|file|bash-completion|bash-completion
mandoc|command|mandoc|mandoc
lintian|command|lintian|
dpkg-shlibdeps|command|dpkg-dev|dpkg-dev
cmake|command|cmake|cmake
pkg-config|command|pkg-config|pkgconf
go|command|golang-go|golang
/usr/share/gocode/src/github.com/google/pprof/profile|file|golang-github-google-pprof-dev|
'
needs_runtimes='
node|command|nodejs|nodejs
javac|command|default-jdk-headless|java-latest-openjdk-devel
prometheus|command|prometheus|golang-github-prometheus
ip|command|iproute2|iproute
'

# The oldest versions that will do, by either package's name.
least_versions='
gcc 8
libmicrohttpd-dev 0.9.71
libmicrohttpd-devel 0.9.71
libdw-dev 0.176
elfutils-devel 0.176
bats 1.7
'

die()
{
	printf 'setup: %s\n' "$@" >&2
	exit 1
}

# What no package mends is said before any is installed.
check_machine()
{
	local libc
	[ "$(uname -s)" = Linux ] || die "scprof runs on Linux; this is $(uname -s)."
	[[ "$(uname -m) $(getconf LONG_BIT)" =~ ^(x86_64|aarch64)\ 64$ ]] ||
		die "scprof runs on x86-64 and AArch64; this is $(uname -m) with $(getconf LONG_BIT) bits."
	libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || die 'scprof is built with glibc; this system has another C library, whose programs can be measured all the same.'
	printf '2.31\n%s\n' "${libc#glibc }" | sort -CV ||
		die "scprof needs glibc 2.31 or later (Debian 11, Ubuntu 22.04, RHEL 9); this system has $libc."
	! command -v gcc >/dev/null || printf '8\n%s\n' "$(gcc -dumpversion)" | sort -CV ||
		die "scprof needs gcc 8 or later; this system has gcc $(gcc -dumpversion)."
}

usage()
{
	echo 'usage: scripts/setup.sh [--tests] [--runtimes] [--shells] [--long] [--bench] [--fuzz] [--list]' >&2
	exit 2
}

# Debian keeps some servers where only root's PATH looks.
PATH=$PATH:/usr/sbin:/sbin

has_header()
{
	command -v cc >/dev/null || return 1
	printf '#include <stddef.h>\n#include <stdio.h>\n#include <stdint.h>\n#include <stdarg.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
		cc -x c -fsyntax-only - 2>/dev/null
}

is_there()
{
	case $2 in
	command) command -v "$1" >/dev/null ;;
	header) has_header "$1" ;;
	file) compgen -G "$1" >/dev/null ;;
	library) [[ $(ldconfig -p) == *"$1"* ]] ;;
	esac
}

# Prints the packages of the given lists that are missing here, by the column
# of the package manager.
missing_packages()
{
	local what how debian fedora
	while IFS='|' read -r what how debian fedora; do
		[ -n "$what" ] || continue
		is_there "$what" "$how" && continue
		if [ "$manager" = dnf ]; then echo "$fedora"; else echo "$debian"; fi
	done | sed '/^$/d' | sort -u # some have no package there
}

# candidate PACKAGE: its version, installed or else to be had; nothing: there is none.
candidate()
{
	if [ "$manager" = dnf ]; then
		rpm -q --qf '%{VERSION}\n' "$1" 2>/dev/null | grep -v ' ' ||
			dnf -q repoquery --latest-limit=1 --qf '%{version}\n' "$1" 2>/dev/null
	else
		apt-cache policy "$1" 2>/dev/null | awk '
			$1 == "Installed:" && $2 != "(none)" { print $2; exit }
			$1 == "Candidate:" && $2 != "(none)" { print $2 }'
	fi | sed 's/^[0-9]*://; s/[-+~].*//' | head -n 1
}

# choose PACKAGE[,PACKAGE...]...: fills `chosen` with those that can be had, and `lacking` with words on the others.
choose()
{
	local group package version least
	chosen=() lacking=()
	for group; do
		for package in ${group//,/ }; do
			version=$(candidate "$package")
			[ -z "$version" ] || break
		done
		least=$(awk -v name="$package" '$1 == name { print $2 }' <<<"$least_versions")
		if [ -z "$version" ]; then
			lacking+=("${group%%,*}${least:+ $least}")
		elif [ -n "$least" ] && ! printf '%s\n' "$least" "$version" | sort -CV; then
			lacking+=("${group%%,*} $least (it has $version)")
		else
			chosen+=("$package")
		fi
	done
}

# In one line what is lacking, and the end where scprof cannot be built without it.
say_lacking()
{
	local each list what without=()
	[ ${#lacking[@]} != 0 ] || return 0
	list=$(printf ', %s' "${lacking[@]}")
	# shellcheck source=/dev/null
	what=$(. /etc/os-release 2>/dev/null && echo "${NAME:-} ${VERSION_ID:-}") || what='this system'
	for each in "${lacking[@]}"; do
		! grep -qE "\|${each%% *}(\||$)" <<<"$needs_build" || without+=("$each")
	done
	[ ${#without[@]} = 0 ] || die "scprof cannot be built here: $what lacks ${list#, }."
	echo "setup: $what lacks ${list#, }: tests that need it are skipped or fail." >&2
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Debian starts a server as soon as it is installed, unless this file says no.
policy=/usr/sbin/policy-rc.d
forbid_services()
{
	[ -e "$policy" ] && return
	# shellcheck disable=SC2064 # the path is meant now
	trap "remove_policy" EXIT
	printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
	as_root chmod 755 "$policy"
	made_policy=1
}

remove_policy()
{
	[ -z "${made_policy:-}" ] || as_root rm -f "$policy"
	made_policy=
}

# failed WHAT-TO-DO...: why the package manager failed, in its own words, and what to do.
failed()
{
	{
		echo "setup: this failed; the last lines of $log:"
		tail -n 15 "$log" | sed 's/^/    /'
		printf '%s\n' "$@"
	} >&2
	exit 1
}

# apt PACKAGE...: not those that are only recommended.
apt()
{
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# What apt-get would fetch for the given packages, as "31 packages (64 MB)".
what_comes()
{
	apt-get install -qq -y --no-install-recommends --print-uris "$@" 2>/dev/null |
		awk '{ bytes += $3 } END { printf "%d packages (%.0f MB)\n", NR, bytes / 1e6 }'
}

install_packages()
{
	local by_hand="Install these by hand, then try again: $*"
	[ "$manager" != none ] || die "missing: $*" "neither apt-get nor dnf is here: install them by hand"
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		if [ "$manager" = dnf ] || compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
			choose "$@"
			say_lacking
			set -- "${chosen[@]}"
		fi
		[ $# -gt 0 ] || return 0
		die 'these are missing, you are not root, and there is no sudo.' "As root, run: $manager install $*"
	fi
	mkdir -p "${log%/*}"
	: >"$log"
	case $manager in
	apt-get)
		echo 'reading the lists of packages...'
		as_root apt-get update -q >>"$log" 2>&1 </dev/null ||
			echo 'setup: apt-get update failed; trying with the old lists' >&2
		choose "$@"
		say_lacking
		[ ${#chosen[@]} -gt 0 ] || return 0
		forbid_services
		echo "installing $(what_comes "${chosen[@]}")..."
		apt "${chosen[@]}" >>"$log" 2>&1 </dev/null ||
			failed 'Is the network there, and are the sources in /etc/apt right?' "$by_hand"
		remove_policy
		;;
	dnf)
		choose "$@"
		say_lacking
		[ ${#chosen[@]} -gt 0 ] || return 0
		echo "installing ${#chosen[@]} packages and what they need..."
		as_root dnf install -y -q "${chosen[@]}" >>"$log" 2>&1 </dev/null ||
			failed 'Is the network there, and are the repositories of dnf right?' "$by_hand"
		;;
	esac
}

log=${BUILD:-build}/setup.log
needs=$needs_build
list_only=
for argument; do
	case $argument in
	--tests) needs=$needs$needs_tests ;;
	--bench) needs=$needs$needs_bench ;;
	--fuzz) needs=$needs$needs_fuzz ;;
	--long) needs=$needs$needs_long ;;
	--runtimes) needs=$needs$needs_runtimes ;;
	--shells) needs=$needs$needs_shells ;;
	--list) list_only=1 ;;
	*) usage ;;
	esac
done

if command -v apt-get >/dev/null; then
	manager=apt-get
elif command -v dnf >/dev/null; then
	manager=dnf
else
	manager=none
fi

mapfile -t packages < <(missing_packages <<<"$needs")
if [ -n "$list_only" ]; then
	[ ${#packages[@]} = 0 ] || printf '%s\n' "${packages[@]}"
	exit 0
fi
check_machine
[ ${#packages[@]} -gt 0 ] || exit 0
install_packages "${packages[@]}"

mapfile -t packages < <(missing_packages <<<"$needs")
choose "${packages[@]}"
[ ${#chosen[@]} = 0 ] || die "installed, but still not found: ${chosen[*]}"
