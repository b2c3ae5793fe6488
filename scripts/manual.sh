#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/manual.sh SCPROF TEMPLATE: a man page on standard output. In the template
# stand lines such as @OPTIONS@ for what `scprof describe` prints of the command's
# table; the rest is roff. The command is the template's name; scprof.in is the page of the whole.
# Exit status: 0 written, 1 not.
set -euo pipefail

read -ra scprof <<<"$1" # perhaps behind an emulator
template=$2
name=$(basename "$template" .in)
version=$("${scprof[@]}" describe | awk -F'\t' '$1 == "version" { print $3 }')
# A page is dated by its source, so that a build can be repeated.
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$template")}" +%F)
if [ "$name" = scprof ]; then "${scprof[@]}" describe; else "${scprof[@]}" describe "$name"; fi |
	awk -F'\t' -v name="$name" -v version="$version" -v date="$date" -v template="$template" '
	function quote(text) {
		gsub(/\\/, "\\e", text)
		gsub(/-/, "\\-", text)
		gsub(/`/, "\\(ga", text)
		gsub(/\x27/, "\\(aq", text)
		return text ~ /^\./ ? "\\&" text : text
	}
	{ count++; part[count] = $1; letter[count] = $2; long[count] = $3; argument[count] = $4; text[count] = $5 }
	$1 == "summary" { summary = $5 }

	function has(kind, i) {
		for (i = 1; i <= count; i++) if (part[i] == kind) return 1
		return 0
	}
	function head(title) {
		title = name == "scprof" ? "scprof" : "scprof-" name
		printf ".\\\" Generated from scprof %s --help and man/%s.in\n", name == "scprof" ? "" : name, name
		printf ".TH %s 1 %s \"scprof %s\" \"scprof manual\"\n", quote(toupper(title)), date, version
		printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", quote(title), quote(summary)
		for (i = 1; i <= count; i++) if (part[i] == "synopsis") {
			n = split(text[i], word, " ")
			printf "%s.nh\n.B %s", synopses++ ? ".PP\n" : "", quote(word[1])
			start = 2
			if (name != "scprof") { printf " %s", quote(word[2]); start = 3 }
			printf "\n"
			line = ""
			for (j = start; j <= n; j++) line = line (line == "" ? "" : " ") quote(word[j])
			printf "%s\n.hy\n", line
		}
	}
	function texts(i, first) {
		first = 1
		for (i = 1; i <= count; i++) if (part[i] == "text") {
			if (!first) print ".PP"
			print quote(text[i])
			first = 0
		}
	}
	function entry(i, heading) {
		if (letter[i] != "-") heading = "\\fB\\-" letter[i] "\\fR"
		if (part[i] == "option" && long[i] != "-")
			heading = heading (heading == "" ? "" : ", ") "\\fB\\-\\-" quote(long[i]) "\\fR"
		if (part[i] != "option") heading = "\\fI" quote(long[i]) "\\fR"
		if (argument[i] != "-") heading = heading (argument[i] ~ /^\[/ ? "" : " ") "\\fI" quote(argument[i]) "\\fR"
		printf ".TP\n%s\n%s\n", heading, quote(text[i])
	}
	function entries(kind, i) {
		for (i = 1; i <= count; i++) if (part[i] == kind && long[i] != "-") entry(i)
	}
	function section(kind, i) {
		for (i = 1; i <= count; i++) if (part[i] == kind && long[i] == "-" && text[i] != "-") print quote(text[i])
	}
	function commands(i) {
		for (i = 1; i <= count; i++) if (part[i] == "command")
			printf ".TP\n\\fBscprof\\-%s\\fR(1)\n%s\n", quote(long[i]), quote(text[i])
	}
	END {
		while ((getline line < template) > 0) {
			if (line == "@HEAD@") head()
			else if (line == "@TEXT@") texts()
			else if (line == "@COMMANDS@") { print ".SH COMMANDS"; commands() }
			else if (line == "@OPTIONS@") { print ".SH OPTIONS"; entries("operand"); entries("option") }
			else if (line == "@ENVIRONMENT@") {
				print ".SH ENVIRONMENT"
				if (name == "scprof") section("environment")
				entries("environment")
				if (name != "scprof") print (has("environment") ? ".PP\n" : "") "\\fBscprof\\fR(1) lists the variables that all commands know."
			}
			else if (line == "@EXIT@") { print ".SH \"EXIT STATUS\""; section("exit") }
			else if (line !~ /^\.\\" SPDX/) print line
		}
	}'
