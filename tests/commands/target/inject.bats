#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Every system call that the library itself makes is made to fail once, by
# strace; the program must come out the same each time.
# about 20 s

# shellcheck disable=SC2030,SC2031 # each test is a subshell

load ../common

setup()
{
	common_setup
	# Stops the program at the calls that are asked for only, not at each: a tenth of the time. It
	# is done by a seccomp filter, under which the library creates its file in another way.
	MORE=()
	QUICK=(-f --seccomp-bpf)
	[ -z "$(strace -qq "${QUICK[@]}" -o /dev/null -e trace=none true 2>&1 || echo no)" ] || QUICK=(-f)
	# The library lies at the same place each time, and so its calls are told from the program's.
	LAID=(setarch -R)
	"${LAID[@]}" true 2>/dev/null || LAID=()
}

# One line for each system call that was made by code of libscprof.so (the instruction is
# in the library's mapping, the first after its file was opened): NAME and its number among
# all calls of that NAME. Of a name that comes often, the first eight and every fiftieth.
own_calls()
{
	local bytes low high
	# One call that nobody makes is left out: if all are looked at strace installs no filter.
	"${LAID[@]}" strace -qq -i "${QUICK[@]}" -e trace='!swapoff' -e signal=none "${MORE[@]}" -o traces -E LD_PRELOAD="$LIB" -E SCPROF_STATES="${STATES:-off}" -E SCPROF_OUT="$T/out" "$@" >/dev/null 2>&1 3>&- 4>&- || true
	awk '!first { first = $1 } $1 == first { sub(/^[0-9]+ +/, ""); print }' traces >trace # not the children
	read -r bytes low < <(awk '/ openat\(.*libscprof\.so"/ { opened = 1 }
		opened && / mmap\(NULL, .*DENYWRITE/ { split($0, part, /[(, ]+/); print part[4], $NF; exit }' trace)
	high=$(printf '%016x' $((low + bytes)))
	low=$(printf '%016x' "$low")
	echo "$low $high" >range
	awk -v low="$low" -v high="$high" '/^\[/ { ip = substr($1, 2, 16); split($2, part, "("); name = part[1]; n[name]++
		if (ip >= low && ip < high && (++own[name] <= 8 || own[name] == 2 * last[name])) {
			last[name] = own[name]
			print name, n[name]
		} }' trace
}

# Some calls of the library's come as time goes, and the program's own have other numbers then.
was_ours()
{
	local low high
	read -r low high <range
	[ ${#LAID[@]} = 0 ] || awk -v low="$low" -v high="$high" '/\(INJECTED\)/ { ip = substr($2, 2, 16)
		ours = ip >= low && ip < high } END { exit !ours }' injected
}

likely_error()
{
	case $1 in
	open | openat | creat) echo EMFILE ;;
	mmap | mremap) echo ENOMEM ;;
	fallocate | ftruncate | write | pwrite64) echo ENOSPC ;;
	*) echo EPERM ;;
	esac
}

# came NAME NUMBER: the traced program made as many calls of that NAME.
came()
{
	[ "$(grep -cE "[] ]$1\(" injected)" -ge "$2" ]
}

# try_calls PROGRAM...: fails each call of the library's in turn. A list is longer than what comes
# when only one name is traced: on a busy machine more time passes, and more is read of it.
try_calls()
{
	local name number status=0
	own_calls "$@" >calls
	listed=0 tried=0 hit=0
	while read -r name number; do
		[[ " ${SPARE-} " != *" $name "* ]] || continue
		# strace does not carry out what it lets fail. The kernel closes even
		# where close reports an error, and never refuses a signal mask.
		case $name in exit* | rt_sigreturn | close | rt_sigprocmask) continue ;; esac
		status=0
		limited "${LAID[@]}" strace -qq -i "${QUICK[@]}" -o injected -e signal=none \
			-e trace="$name" -e inject="$name:error=$(likely_error "$name"):when=$number" \
			-E LD_PRELOAD="$LIB" -E SCPROF_STATES="${STATES:-off}" -E SCPROF_OUT="$T/out" "$@" >with.out 2>with.err </dev/null 3>&- 4>&- || status=$?
		listed=$((listed + 1))
		came "$name" "$number" || continue
		tried=$((tried + 1))
		! grep -qF '(INJECTED)' injected || was_ours || continue
		[[ $(<injected) != *'(INJECTED)'* ]] || hit=$((hit + 1))
		[ "$status$(<with.out)$(<with.err)" = "$said" ] || {
			echo "$name number $number fails: status $status instead of $(cat without.status)"
			diff without.out with.out || true
			cat with.err
			bad=1
		}
	done <calls
	echo "$listed calls, of which $tried came, $hit of them made to fail"
}

# sweep PROGRAM...: each call is tried; again where fewer than LEAST % were hit, since on a busy machine
# the calls come in other numbers than when they were listed.
sweep()
{
	local bad=0 listed tried hit said _
	record without "$@"
	unset EXPECT
	said=$(<without.status)$(<without.out)$(<without.err)
	for _ in 1 2 3; do
		try_calls "$@"
		[ $bad = 0 ] && [ "$tried" -gt 20 ] && [ $((2 * tried)) -ge "$listed" ] || return 1
		[ $((100 * hit)) -lt $((${LEAST:-90} * tried)) ] || return 0
	done
	return 1
}

@test "inject 01: start and first calls survive the failure of any system call" {
	sweep "$PROGRAMS/preserves"
}

@test "inject 02: growth survives the failure of any system call" {
	sweep "$PROGRAMS/limits" none
}

# Every switched call is read, and what else is read is chosen at random: of calls that the program
# makes, too, the numbers would be its own (raise).
@test "inject 07: reading where calls spent their time survives the failure of any system call" {
	SPARE='gettid getpid' STATES=exact LEAST=40 sweep "$PROGRAMS/small_altstack" warm 4096 3
}

# strace counts `when` in each process by itself, so a number can hit a parent's
# call too; there it is the same kind of failure.
@test "inject 03: children survive failures from their first call on" {
	local name when status bad=0
	record without "$PROGRAMS/spawn_chain"
	for name in fallocate ftruncate madvise memfd_create; do
		for when in 1 2 3+; do
			status=0
			limited strace "${QUICK[@]}" -qq -o /dev/null -e signal=none -e trace=$name \
				-e inject="$name:error=$(likely_error $name):when=$when" \
				-E LD_PRELOAD="$LIB" -E SCPROF_STATES="${STATES:-off}" -E SCPROF_OUT="$T/out" \
				"$PROGRAMS/spawn_chain" >with.out 2>with.err </dev/null 3>&- 4>&- || status=$?
			[ "$status" = 0 ] && cmp without.out with.out && [ ! -s with.err ] || {
				echo "$name number $when fails: status $status"
				cat with.err
				bad=1
			}
		done
	done
	[ $bad = 0 ]
}

@test "inject 04: a start without a filter survives the failure of any system call" {
	QUICK=(-f)
	sweep /bin/true
}

# killed_at_any_call: what is left of a program that is killed as it makes any of the library's system
# calls is no file, or one that can be read; what is hidden, or nothing, in KINDS.
killed_at_any_call()
{
	local name number status tried=0 files=0 left file
	shopt -s nullglob dotglob
	own_calls /bin/true >calls
	while read -r name number; do
		left=(out/*)
		[ ${#left[@]} = 0 ] || rm -f "${left[@]}"
		status=0
		{ # the shell says that it was killed
			limited strace -qq "${QUICK[@]}" "${MORE[@]}" -o /dev/null -e signal=none \
				-e inject="$name:signal=KILL:when=$number" -E LD_PRELOAD="$LIB" \
				-E SCPROF_OUT="$T/out" /bin/true </dev/null 3>&- 4>&- || status=$?
		} >/dev/null 2>&1
		case $status in
		137) tried=$((tried + 1)) ;;
		0) ;; # it made fewer such calls
		*) echo "killed at $name number $number: status $status" && return 1 ;;
		esac
		left=(out/[!.]*)
		if [ ${#left[@]} != 0 ]; then
			files=$((files + 1))
			"$SCPROF" report --by function out/[!.]*.scp >report.txt 2>&1 || {
				echo "killed at $name number $number: $(cat report.txt)"
				return 1
			}
		fi
		for file in out/*; do
			# shellcheck disable=SC2053 # a pattern
			[[ ${file#out/} == scprof.*.scp || ${file#out/} == $1 ]] || {
				echo "killed at $name number $number: ${left[*]} $file"
				return 1
			}
		done
	done <calls
	shopt -u nullglob dotglob
	echo "$tried calls, $files with a file"
	[ $tried -gt 20 ] && [ $files -gt 3 ] && [ $files -lt $tried ]
}

@test "inject 05: killed at any system call of its start a program leaves no file, a whole or a hidden one" {
	QUICK=(-f)
	killed_at_any_call '.scprof.true.*.new'
}

@test "inject 06: where a hidden file cannot get its name, a file has it at once" {
	QUICK=(-f)
	MORE=(-e "inject=linkat,renameat2:error=EINVAL")
	mkdir -p out
	own_calls /bin/true >/dev/null
	[ "$(ls -A out)" = "$(cd out && echo scprof.true.*.scp)" ]
	"$SCPROF" report out/*.scp >/dev/null
}

# As the kernel does it: an error, and a signal to the thread.
@test "inject 08: a limit on files that another thread has lowered since it was asked for" {
	local name stopped status bad=0 hit=0
	QUICK=(-f)
	record without "$PROGRAMS/many_calls" 1000
	for name in fallocate ftruncate pwrite64; do
		for stopped in 0 1; do
			status=0
			limited strace "${QUICK[@]}" -qq -o injected -e signal=none -e trace=$name \
				-e inject="$name:error=EFBIG:signal=SIGXFSZ" -E SCPROF_STOPPED=$stopped -E SCPROF_STATES=off \
				-E LD_PRELOAD="$LIB" -E SCPROF_OUT="$T/out" "$PROGRAMS/many_calls" 1000 >with.out 2>with.err </dev/null 3>&- 4>&- ||
				status=$?
			! grep -qF '(INJECTED)' injected || hit=$((hit + 1))
			[ "$status" = "$(<without.status)" ] && cmp without.out with.out && [ ! -s with.err ] || {
				echo "$name fails, stopped $stopped: status $status"
				bad=1
			}
		done
	done
	echo "$hit hit"
	[ $bad = 0 ] && [ $hit -gt 0 ]
}
