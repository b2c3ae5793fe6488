#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of JavaScript and methods of Java on call paths, by the names that node and java tell,
# which the profile keeps.

load ../common

SOURCES=$BATS_TEST_DIRNAME/../../programs/runtimes

# The maps that a run left go with it.
record()
{
	"$SCPROF" run -g socket,io --no-report -o app.scp -- "$@" >said 2>err 3>&- 4>&-
	"$SCPROF" report --format json --top 0 app.scp >first.json
	PID=$(jq '.processes[0].pid' first.json)
	rm -f "/tmp/perf-$PID.map" "jit-$PID.dump"
	"$SCPROF" report --format json --top 0 app.scp >report.json
}

# Paths of `function`, by the functions of a language from the innermost on.
paths_of()
{
	jq -r --arg language "$1" --arg function "$2" '.sites[] | select(.symbol == $function) |
		[.stack[] | select(.language == $language) | "\(.function) \(.file // "-" | sub(".*/"; "")):\(.line // 0)"] |
		join(" < ")' report.json
}

has_warning()
{
	jq -e --arg code "$1" 'any(.warnings[]; .code == $code)' report.json
}

needs_node()
{
	command -v node >/dev/null || skip "node is not installed"
	[ "$(uname -m)" = x86_64 ] || skip "generated code of x86-64 only"
}

@test "node: JavaScript functions by name, file and line, in threads, too; the profile keeps them" {
	needs_node
	record node --perf-basic-prof --interpreted-frames-native-stack "$SOURCES/reply.js"
	paths_of javascript write | tee paths
	grep -q '^writeSync node:fs:[0-9]* < note reply.js:6 < (anonymous) reply.js:1 <' paths
	grep -q 'note reply.js:6 < inThread reply.js:10 < (anonymous) reply.js:1' paths
	grep -q ' < answer reply.js:14 < (anonymous) reply.js:' paths
	jq -e 'all(.sites[].stack[] | select(.language == "javascript"); .module == "[generated code]")' report.json
	not has_warning unnamed-code
	# A site is the innermost function, and its calls by function are those of all its code.
	"$SCPROF" report --by site --format json --top 0 app.scp |
		jq -e 'any(.sites[]; .symbol == "write" and (.stack | length == 1 and .[0].function == "writeSync"))'
	"$SCPROF" report --by function --format json --top 0 app.scp >functions
	jq -e '[.sites[] | select(.symbol == "write" and .stack[0].function == "writeSync")] |
		length == 1 and .[0].stack[0].language == "javascript"' functions
}

@test "node: a jitdump gives the same names as a map" {
	needs_node
	record node --perf-prof --interpreted-frames-native-stack --always-sparkplug "$SOURCES/reply.js"
	paths_of javascript write | tee paths
	grep -q '^writeSync node:fs:[0-9]* < note reply.js:6 < (anonymous) reply.js:' paths
	# Without the dump it is the same.
	for each in first report; do
		jq '[.sites[] | [.symbol, [.stack[] | select(.language) | [.function, .file, .line]]]] | sort' $each.json >$each.stacks
	done
	cmp first.stacks report.stacks
}

@test "node without options: the report says which would give names" {
	needs_node
	record node "$SOURCES/reply.js"
	has_warning unnamed-code
	"$SCPROF" explain unnamed-code | grep -q -- '--perf-basic-prof'
}

# Compiled at the first call, as nothing else is.
JAVA_COMPILED=(-Xcomp -Xbatch -XX:CompileCommand=quiet '-XX:CompileCommand=compileonly,Reply::*'
	'-XX:CompileCommand=dontinline,Reply::*')
JAVA_NAMED=(-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)

needs_java()
{
	[ -e "$PROGRAMS/java/Reply.class" ] || skip "javac is not installed"
	[ "$(uname -m)" = x86_64 ] || skip "generated code of x86-64 only"
}

@test "java: methods by name, in threads, too; the profile keeps them" {
	needs_java
	record java "${JAVA_COMPILED[@]}" "${JAVA_NAMED[@]}" -cp "$PROGRAMS/java" Reply
	paths_of java write | tee paths
	grep -q 'Reply.note(java.io.FileOutputStream) -:0 < Reply.main(java.lang.String\[\]) -:0' paths
	grep -q 'Reply.note(java.io.FileOutputStream) -:0 < Reply.run(java.io.FileOutputStream) -:0' paths
	not has_warning unnamed-code
}

@test "java without options: the report says which would give names" {
	needs_java
	record java "${JAVA_COMPILED[@]}" -cp "$PROGRAMS/java" Reply
	has_warning unnamed-code
	"$SCPROF" explain unnamed-code | grep -q -- '-XX:+PreserveFramePointer'
}
