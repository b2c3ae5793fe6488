#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/packaging/make_deb.sh BUILD VERSION: Debian packages of what is built, in
# BUILD/deb, by `make install` into a tree of its own and dpkg-deb.
#   libscprof      the preloaded library alone, where the loader finds it by its
#                  name; it needs libc only, for containers that hold no tool
#   scprof         the tool, man pages, completion, documents
#   libscprof-dev  scprof.h, for pkg-config and CMake; scprof.py
# Exit status: 0 made, 1 not, 2 a tool is missing.
set -euo pipefail

build=$(realpath "$1") version=$2
cd "$(dirname "$0")/../.."
for tool in dpkg-deb dpkg-shlibdeps dpkg-gencontrol dpkg-architecture; do
	command -v "$tool" >/dev/null || {
		echo "make deb: $tool is missing: apt-get install dpkg-dev (or scripts/setup.sh --shells)" >&2
		exit 2
	}
done
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
# The same sources and date give the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y include/scprof_version.h)}
export SOURCE_DATE_EPOCH
umask 022

work=$(mktemp -d "$build/deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
make -s --no-print-directory BUILD="$build" DESTDIR="$work/all" PREFIX=/usr "LIBDIR=/usr/lib/$multiarch" \
	PRELOAD=libscprof.so ZSHDIR=/usr/share/zsh/vendor-completions \
	PYTHONDIR=/usr/lib/python3/dist-packages install

# move PACKAGE PATH...: out of the whole tree into the package's.
move()
{
	local package=$1 path
	shift
	for path; do
		mkdir -p "$work/$package/$(dirname "$path")"
		mv "$work/all/$path" "$work/$package/$path"
	done
}

rm "$work"/all/usr/share/doc/scprof/{LICENSE,*.txt} # copyright says where they are
rm "$work"/all/usr/share/doc/scprof/folders         # dpkg knows its own
move libscprof "usr/lib/$multiarch"
move libscprof-dev usr/include usr/share/pkgconfig usr/share/cmake usr/lib/python3
mv "$work/all" "$work/scprof"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$work/scprof/usr/bin/scprof" \
	"$work/libscprof/usr/lib/$multiarch"/*.so
find "$work/scprof/usr/share/man" -type f -exec gzip -9n {} +

documents()
{
	local doc=$work/$1/usr/share/doc/$1
	mkdir -p "$doc"
	cp scripts/packaging/debian/copyright "$doc/copyright"
	gzip -9nc "$work/source/debian/changelog" >"$doc/changelog.gz"
}

# Nothing is linked with a library that is preloaded: there are no versions to tell apart.
mkdir -p "$work/libscprof/usr/share/lintian/overrides"
echo 'libscprof: shared-library-lacks-version' >"$work/libscprof/usr/share/lintian/overrides/libscprof"

# The loader's cache is to know the library by its name.
mkdir -p "$work/libscprof/DEBIAN"
echo 'activate-noawait ldconfig' >"$work/libscprof/DEBIAN/triggers"

# The fields come from scripts/packaging/debian/control, the libraries needed from the binaries.
mkdir -p "$work/source/debian"
maintainer="${DEBFULLNAME:-scprof developers} <${DEBEMAIL:-scprof@example.org}>"
sed "s|^Maintainer: .*|Maintainer: $maintainer|" scripts/packaging/debian/control >"$work/source/debian/control"
cat >"$work/source/debian/changelog" <<END
scprof ($version) unstable; urgency=medium

  * Build of the sources as they are.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

package()
{
	local tree=$work/$1
	shift
	documents "${tree##*/}"
	mkdir -p "$tree/DEBIAN"
	cd "$work/source"
	: >debian/substvars
	[ $# = 0 ] || dpkg-shlibdeps -Tdebian/substvars "$@"
	dpkg-gencontrol -p"${tree##*/}" -P"$tree" -Tdebian/substvars -fdebian/files
	(cd "$tree" && find usr -type f -exec md5sum {} + | sort -k 2) >"$tree/DEBIAN/md5sums"
	cd - >/dev/null
	mkdir -p "$build/deb"
	dpkg-deb --root-owner-group --build "$tree" "$build/deb" >/dev/null
}

rm -f "$build"/deb/*.deb
# libunwind is for `run --verify-paths` only: built without, the object is not there.
optional=$work/libscprof/usr/lib/$multiarch/libscprof-unwind.so
[ -e "$optional" ] && optional=(-dRecommends "$optional") || optional=()
package libscprof "$work/libscprof/usr/lib/$multiarch/libscprof.so" "${optional[@]}"
# scprof serve loads libmicrohttpd when it starts: no dependency that dpkg-shlibdeps sees in the tool.
${CC:-cc} -shared -o "$work/loaded.so" -x c /dev/null -Wl,--no-as-needed -lmicrohttpd
package scprof "$work/scprof/usr/bin/scprof" "$work/loaded.so"
package libscprof-dev
ls "$build"/deb/*.deb
