// SPDX-License-Identifier: GPL-3.0-or-later
/* What a report shows and how: options of `scprof report` and `scprof run`. */
#pragma once

#include "cli/usage/options.h"
#include "report/report.h"

#define REPORT_MEMBER(kind, member)                                                                \
	OPTIONS_MEMBER(kind, report_choice, options.member, .most = OPTIONS_ANY_COUNT,             \
		       .of_report = true)

/* For the table of a command's options. */
#define REPORT_OPTIONS_ENTRIES                                                                     \
	{"format", USAGE_FORMAT, "FORMAT",                                                         \
	 .text = "what to print: text, json, csv, html (a page for a browser), svg (a flame "      \
		 "graph); for other tools pprof, folded, callgrind, speedscope. Default: as the "  \
		 "name of -o ends, else text"},                                                    \
		{"by", 0, "path|site|function|gap|thread|process",                                 \
		 .text = "what a row is (default: path, the full call path)",                      \
		 REPORT_MEMBER(CHOICE, by)},                                                       \
		{"fold", 0, NULL,                                                                  \
		 .text = "one row for call paths through the same functions: they differ only "    \
			 "in the places within them",                                              \
		 REPORT_MEMBER(FLAG, fold)},                                                       \
		{"sort", USAGE_SORT, "time|cpu|calls|mean|max|bytes|name",                         \
		 .text = "which rows come first, of those that work and of those that wait "       \
			 "(default: time, in total)",                                              \
		 REPORT_MEMBER(CHOICE, sort)},                                                     \
		{"together", 0, NULL,                                                              \
		 .text = "add rows of different programs up (default: each program apart)",        \
		 REPORT_MEMBER(FLAG, together)},                                                   \
		USAGE_ENTRY_CONFIDENCE(REPORT_MEMBER(CONFIDENCE, confidence)),                     \
		{"include-warm-up", 0, NULL,                                                       \
		 .text = "leave in the means what is otherwise excluded",                          \
		 REPORT_MEMBER(FLAG, include_warmup)},                                             \
		{"top", 0, "N",                                                                    \
		 .text = "rows at most, 0: all (default: as many as fit the screen, else all; on " \
			 "a page 20000)",                                                          \
		 REPORT_MEMBER(COUNT32, top)},                                                     \
		{"frames", 0, "N",                                                                 \
		 .text = "lines of call path a row in text (default: all in one; with --full 6, "  \
			 "later rows 2)",                                                          \
		 REPORT_MEMBER(COUNT32, frames)},                                                  \
		{"full", 0, NULL,                                                                  \
		 .text = "in text: all lines of the head, all rows, paths, notes and warnings in " \
			 "full",                                                                   \
		 REPORT_MEMBER(FLAG, full)},                                                       \
	{                                                                                          \
		"weight", 0, "time|calls|bytes|on_cpu|runnable|asleep|uncharged|computing",        \
			.text = "what --format folded counts (default: time, in ns; on_cpu, "      \
				"runnable, asleep: where that time went; uncharged: ns by "        \
				"displacement, from 'scprof run --displace'). computing: CPU "     \
				"time outside of calls, which csv has rows of",                    \
			REPORT_MEMBER(CHOICE, weight)                                              \
	}

struct report_choice {
	struct report_options options;
	bool format_given, sort_given;
};

#define REPORT_CHOICE_DEFAULT                                                                      \
	{                                                                                          \
		.options = REPORT_OPTIONS_DEFAULT                                                  \
	}

/* Takes what is no member. 0, or -1: refused, and `u`'s command has said why. */
int report_options_take(struct report_choice *c, const struct usage *u, int code,
			const char *value);

/* A file's ending says what is written to it. The one of `output` (NULL: none) that no format has;
 * NULL: it has none, or one that no letter begins, which is like any other name. */
const char *report_options_strange_ending(const char *output);

/* Does it have such a one, and not .scp where a `profile` may be written? Then it was said. */
bool report_options_refuse_ending(const char *command, const char *output, bool profile);

/* The format that the name of `output` gives a result, which is text, JSON or a page. 0, or -1: it
 * is another one's name. */
int report_options_name_result(const char *output, enum report_format *format);

/* Once all are taken. `output`: -o, or NULL; its name gives the format unless --format did.
 * `terminal`: the report would go to one otherwise. 0, or -1 having said why not. */
int report_options_settle(struct report_choice *c, const struct usage *u, const char *output,
			  bool terminal);
