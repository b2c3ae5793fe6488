#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/packaging/make_dist.sh BUILD VERSION ARCH MAN-PAGE...: packs BUILD/dist/scprof, which is linked
# statically, and its library into BUILD/dist/scprof-VERSION-linux-ARCH.tar.gz. It is unpacked anywhere, and run
# there. The same sources, compiler, libraries and SOURCE_DATE_EPOCH give the same bytes in any folder.
# scripts/packaging/make_dist.sh missing -lNAME...: names the static libraries that $CC does not find.
# Exit status: 0 made, or none is missing; 1 not; 2 a library is missing.
set -euo pipefail

cd "$(dirname "$0")/../.."
if [ "$1" = missing ]; then
	declare -A package=([elf]=libelf-dev [dw]=libdw-dev [gsl]=libgsl-dev [gslcblas]=libgsl-dev [jansson]=libjansson-dev
		[protobuf-c]=libprotobuf-c-dev [z]=zlib1g-dev [iberty]=libiberty-dev [unistring]=libunistring-dev
		[ncursesw]=libncurses-dev [tinfo]=libncurses-dev [microhttpd]=libmicrohttpd-dev [lzma]=liblzma-dev [bz2]=libbz2-dev)
	absent=() packages=() of=
	case $(${CC:-cc} -dumpmachine) in
	"$(uname -m)"-*) ;;
	aarch64-*) of=:arm64 ;;
	x86_64-*) of=:amd64 ;;
	esac
	for library in "${@:2}"; do
		[[ $(${CC:-cc} -print-file-name="lib${library#-l}.a") == /* ]] && continue
		absent+=("lib${library#-l}.a")
		packages+=("${package[${library#-l}]:-libc6-dev}$of")
	done
	[ ${#absent[@]} != 0 ] || exit 0
	echo "make dist: no ${absent[*]}: apt-get install $(printf '%s\n' "${packages[@]}" | sort -u | xargs)" >&2
	exit 2
fi

dist=$(realpath "$1")/dist name=scprof-$2-linux-$3
pages=("${@:4}")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y include/scprof_version.h)}
umask 022
work=$(mktemp -d "$dist/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
top=$work/$name
mkdir -p "$top"/{man/man1,completion,include,licenses/libraries}
install -m 755 "$dist/scprof" "$top/"
install -m 644 "$dist"/libscprof*.so README.md LICENSE "$top/"
install -m 644 LICENSES/*.txt "$top/licenses/"
install -m 644 include/scprof.h "$top/include/"
install -m 644 "${pages[@]}" "$top/man/man1/"
install -m 644 scripts/packaging/completion/* "$top/completion/"

# What the system says of the terminals that people have, for systems that say nothing.
for terminal in ansi dumb linux rxvt screen screen-256color tmux tmux-256color vt100 vt220 xterm xterm-256color; do
	for folder in /lib/terminfo /usr/share/terminfo; do
		file=$folder/${terminal:0:1}/$terminal
		[ ! -e "$file" ] || [ -e "$top/terminfo/${terminal:0:1}/$terminal" ] ||
			install -D -m 644 "$file" "$top/terminfo/${terminal:0:1}/$terminal"
	done
done

# The terms of the libraries inside, as their packages have them.
# dpkg takes long to begin: it is asked for all at once.
grep -oE '(^|[( ])/[^() ]*\.a\b' "$dist/scprof.inputs" | tr -d '( ' | sort -u | xargs realpath |
	{ xargs dpkg -S 2>/dev/null || :; } | sed 's/[:,].*//' | sort -u | while read -r owner; do
	[ ! -e "/usr/share/doc/$owner/copyright" ] ||
		install -m 644 "/usr/share/doc/$owner/copyright" "$top/licenses/libraries/$owner"
done

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$work" -c "$name" |
	gzip -9n >"$dist/$name.tar.gz"
echo "$dist/$name.tar.gz"
