#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make install` and `make deb` lay out works from there, and goes again.
# about 16 s

bats_require_minimum_version 1.5.0
load ../common

TOP=$ROOT

# A prefix for three tests; the packages, which two tests look at, and when they were made.
setup_file()
{
	install_to '' "$BATS_FILE_TMPDIR/prefix"
	command -v dpkg-shlibdeps >/dev/null || return 0
	export DPKG_DEB_COMPRESSOR_LEVEL=0  # for dpkg-deb: how small they are is not asked
	export SOURCE_DATE_EPOCH=1700000000 # else the date of the last commit, and there may be one meanwhile
	make -s -C "$TOP" BUILD="$BUILD" deb >"$BATS_FILE_TMPDIR/made" 2>&1 || { cat "$BATS_FILE_TMPDIR/made"; return 1; }
	(cd "$BUILD/deb" && sha256sum ./*.deb) >"$BATS_FILE_TMPDIR/first"
}

install_to()
{
	make -s -C "$TOP" BUILD="$BUILD" DESTDIR="$1" PREFIX="${2:-/usr}" install >/dev/null
}

@test "install 01: an installed scprof finds its library and profiles a program" {
	install_to "$T/root"
	[ -s root/usr/include/scprof_format.h ]
	[ -s root/usr/lib/libscprof.so ]
	[ -s root/usr/share/scprof/python/scprof.py ]
	[ ! -e "$BUILD/libscprof-unwind.so" ] || [ -s root/usr/lib/libscprof-unwind.so ]
	ls root/usr/share/doc/scprof/*GPL* root/usr/share/doc/scprof/*Apache* >/dev/null
	root/usr/bin/scprof run -o p.scp --no-report -- "$EXAMPLES/echo_pair" 10 10
	"$SCPROF" report --format json p.scp >report.json
	[ "$(calls_of send)" = 21 ]
	[ -s root/usr/share/man/man1/scprof-run.1 ]
	[ -s root/usr/share/bash-completion/completions/scprof ]
	[ -s root/usr/share/zsh/site-functions/_scprof ]
	[ -s root/usr/share/fish/vendor_completions.d/scprof.fish ]
	# what the README and the pages lead to is there: pages, pictures, results
	local page
	{
		grep -oE 'docs/[a-z/-]+\.(md|png)' "$TOP/README.md"
		cd "$TOP" && grep -ohE '\]\([a-z][a-z0-9/.-]*[a-z]' docs/*.md | sed 's,^](,docs/,'
	} | sort -u >pages
	[ "$(wc -l <pages)" -gt 50 ]
	while read -r page; do
		[ -s "root/usr/share/doc/scprof/$page" ] || { echo "no $page"; return 1; }
	done <pages
}

uninstall_from()
{
	make -s -C "$TOP" BUILD="$BUILD" DESTDIR="$1" PREFIX="$2" uninstall
}

@test "install 02: uninstall takes every file away, and leaves what others put there" {
	install_to "$T/root with space" /opt/x
	: >"$T/root with space/opt/x/lib/other.so"
	: >"$T/root with space/opt/x/share/man/man1/other.1"
	uninstall_from "$T/root with space" /opt/x
	(cd "$T/root with space" && find . -type f | sort) >left
	printf './opt/x/lib/other.so\n./opt/x/share/man/man1/other.1\n' | diff - left
	(cd "$T/root with space" && find . -type d -empty) >empty
	[ ! -s empty ]
}

@test "install 07: uninstall removes the folders that install made, installed twice or not, and no other" {
	mkdir -p root/opt/x/share/man/man1 root/opt/x/bin
	install_to "$T/root" /opt/x
	install_to "$T/root" /opt/x
	uninstall_from "$T/root" /opt/x
	(cd root && find . | sort) >left
	printf '%s\n' . ./opt ./opt/x ./opt/x/bin ./opt/x/share ./opt/x/share/man ./opt/x/share/man/man1 | diff - left
	uninstall_from "$T/root" /opt/x # what is not there is no error
}

# The library times the region of this program, which links nothing of scprof.
write_program()
{
	cat >program.c <<'END'
#include <scprof.h>
int main(void)
{
	for (int i = 0; i < 7; i++) {
		SCPROF_BEGIN("work");
		SCPROF_END;
	}
	return 0;
}
END
}

times_region()
{
	"$SCPROF" run -o region.scp --no-report -- "$1" 2>/dev/null
	"$SCPROF" report --format json region.scp >report.json
	[ "$(jq '[.sites[] | select(.symbol == "work") | .calls] | add' report.json)" = 7 ]
}

@test "install 03: pkg-config has scprof.h, from a prefix of its own" {
	command -v pkg-config >/dev/null || skip 'pkg-config is not installed (scripts/setup.sh --shells)'
	export PKG_CONFIG_PATH=$BATS_FILE_TMPDIR/prefix/share/pkgconfig
	write_program
	# shellcheck disable=SC2046 # flags
	cc $(pkg-config --cflags --libs scprof) program.c -o program
	times_region ./program
	[ "$(pkg-config --modversion scprof)" = "$("$SCPROF" --version | cut -d' ' -f2)" ]
	[ -s "$(pkg-config --variable=preload scprof)" ]
	not pkg-config --atleast-version=999 scprof
}

@test "install 04: CMake finds the package, its version and the library, in a tree that was moved" {
	command -v cmake >/dev/null || skip 'cmake is not installed (scripts/setup.sh --shells)'
	cp -r "$BATS_FILE_TMPDIR/prefix" moved
	write_program
	cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(scprof 0.1 REQUIRED)
find_package(scprof 0.1 REQUIRED) # twice does no harm
find_package(scprof 999 QUIET)
if(scprof_FOUND)
	message(FATAL_ERROR "version 999 was found")
endif()
find_package(scprof REQUIRED)
message(STATUS "preload ${scprof_PRELOAD}")
add_executable(program program.c)
target_link_libraries(program PRIVATE scprof::scprof)
END
	cmake -S . -B cmake -DCMAKE_PREFIX_PATH="$T/moved" >cmake.out 2>&1 || { cat cmake.out; false; }
	grep -qxF -- "-- preload $T/moved/lib/libscprof.so" cmake.out
	cmake --build cmake >cmake.out 2>&1 || { cat cmake.out; false; }
	times_region cmake/program
}

@test "install 05: the Debian packages install, work, and go again without a trace" {
	command -v dpkg-shlibdeps >/dev/null || skip 'dpkg-dev is not installed (scripts/setup.sh --shells)'
	[ "$(grep -c '\.deb$' "$BATS_FILE_TMPDIR/made")" = 3 ]
	# made again in another second, they are the same
	while [ "$(date +%s)" = "$(stat -c %Y "$BATS_FILE_TMPDIR/first")" ]; do sleep 0.1; done
	make -s -C "$TOP" BUILD="$BUILD" deb >made 2>&1 || { cat made; false; }
	(cd "$BUILD/deb" && sha256sum ./*.deb) | diff "$BATS_FILE_TMPDIR/first" -
	# dpkg itself, with a root and a database of its own
	mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates root/var/log
	: >root/var/lib/dpkg/status
	dpkg --root="$T/root" --force-depends --force-not-root --force-script-chrootless \
		--install "$BUILD"/deb/*.deb >dpkg.out 2>&1 || { cat dpkg.out; false; }
	root/usr/bin/scprof doctor >doctor.out || [ $? = 1 ] || { cat doctor.out; false; }
	grep -q "^ok  *library  *$T/root/usr/lib/.*/libscprof.so" doctor.out
	root/usr/bin/scprof run -o p.scp --no-report -- "$EXAMPLES/echo_pair" 10 10
	root/usr/bin/scprof report --format json p.scp >report.json
	[ "$(calls_of send)" = 21 ]
	# (dpkg may have been told to leave out documentation)
	dpkg-deb --fsys-tarfile "$BUILD"/deb/scprof_*.deb | tar -xO ./usr/share/man/man1/scprof-run.1.gz | gzip -dc | grep -q SYNOPSIS
	dpkg-deb --fsys-tarfile "$BUILD"/deb/scprof_*.deb | tar -xO ./usr/share/doc/scprof/docs/tutorial.md | grep -q nginx
	local package
	for package in "$BUILD"/deb/*.deb; do # no directory without a file
		dpkg-deb --fsys-tarfile "$package" | tar -t | awk '{ name[$0] } END { for (d in name) if (d ~ /\/$/) {
			holds = 0; for (n in name) holds += n != d && index(n, d) == 1; if (!holds) print d } }' >empty
		[ ! -s empty ] || { echo "$package:"; cat empty; return 1; }
	done
	[ -s root/usr/lib/python3/dist-packages/scprof.py ]
	[ "$(dpkg-deb -f "$BUILD"/deb/libscprof_*.deb Depends | tr ',' '\n' | wc -l)" = 1 ] # libc
	dpkg --root="$T/root" --force-not-root --force-script-chrootless --purge scprof libscprof libscprof-dev >dpkg.out 2>&1
	[ -z "$(find root -path root/var -prune -o -type f -print)" ]
}

@test "install 06: lintian has no error and no warning to tell of the packages" {
	command -v lintian >/dev/null || skip 'lintian is not installed (scripts/setup.sh --shells)'
	[ -s "$BATS_FILE_TMPDIR/first" ] # else there are none
	lintian --fail-on error,warning --allow-root --no-cfg "$BUILD"/deb/*.deb >lintian.out 2>&1 || { cat lintian.out; false; }
}

@test "install 08: systemd has nothing to say against the service, which starts the installed scprof" {
	command -v systemd-analyze >/dev/null || skip 'systemd is not installed'
	local command prefix=$BATS_FILE_TMPDIR/prefix
	systemd-analyze verify --man=no "$prefix/lib/systemd/system/scprof-serve.service" >said 2>&1
	run ! grep scprof said # of the machine it may have
	command=$(sed -n 's/^ExecStart=\([^ ]* [^ ]*\) .*/\1/p' "$prefix/lib/systemd/system/scprof-serve.service")
	$command --help >/dev/null
	[ "$command" = "$prefix/bin/scprof serve" ]
}
