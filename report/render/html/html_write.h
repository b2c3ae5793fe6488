// SPDX-License-Identifier: GPL-3.0-or-later
/* The data of the HTML page: JSON inside a <script> element (json_write.h), streamed because a
 * hundred thousand paths would take too much memory as objects. */
#pragma once

#include "report/render/json/json_write.h"
#include "report/render/stacks/flame.h"

struct html {
	struct json_writer json;
	struct report *report;
	struct string_index strings; /* all of the page's, written last */
	struct flame flame;
	bool states;	/* where the time went is known of some row */
	uint32_t sites; /* rows shown; boxes of other sites have their own numbers */
};

/* "key":["a","b"] of names separated by blanks: the columns of a flat array. */
void html_write_fields(struct html *h, const char *key, const char *names);
/* Mean, low, high, and both limits relative to the mean: "-0.05, 0.08". */
void html_write_interval(struct html *h, const struct mean_interval *m);

/* Up to 16 elements of a flat array: numbers, counts, html_index(), and texts, each as its number
 * among the page's strings. */
#define HTML_PUT(h, ...) (PROF_EACH(HTML_ELEMENT, h, , __VA_ARGS__)(void) 0)
#define HTML_ELEMENT(h, nothing, value)                                                            \
	_Generic((value), double: html_write_number, char *: html_write_text,                      \
		 const char *: html_write_text, int64_t: html_write_integer,                       \
		 default: html_write_count)(h, value),
void html_write_number(struct html *h, double value);
void html_write_count(struct html *h, uint64_t value);
void html_write_integer(struct html *h, int64_t value);
void html_write_text(struct html *h, const char *raw); /* NULL: -1 */
/* UINT32_MAX: -1. */
static inline int64_t html_index(uint32_t n)
{
	return n == UINT32_MAX ? -1 : (int64_t)n;
}
/* Bytes, or -1: there are none to count. */
void html_write_bytes(struct html *h, bool known, uint64_t bytes);

/* Call paths as a tree of lines, each by the line that it is called from and the number of its
 * frame; `text`, by that number, is asked for once: names take longer than numbers. */
struct html_lines {
	struct pairs tree;
	uint32_t *text, room;
};
bool html_lines_lack(struct html_lines *l, uint32_t frame);
/* Takes the text of a frame; NULL: out of memory. */
void html_lines_say(struct html *h, struct html_lines *l, uint32_t frame, char *text);
/* PAIRS_NONE: out of memory, which the writer then knows. */
uint32_t html_lines_below(struct html *h, struct html_lines *l, uint32_t above, uint32_t frame);
/* The end of the lines. */
void html_lines_write(struct html *h, struct html_lines *l);
/* A tree of nodes, each the number of its parent and a label: the distance back to the parent,
 * which is mostly 1 (0: none), and the label, or its text. */
void html_write_tree(struct html *h, const char *key, const struct pairs *tree,
		     const uint32_t *text);
/* Reliability warnings as one text, separated by commas; none: -1. */
void html_write_doubts(struct html *h, unsigned unreliable);

/* Texts as an array: ["wall time","3 s"]. */
#define html_write_texts(h, ...)                                                                   \
	json_write_texts(&(h)->json, NULL, (const char *const[]){__VA_ARGS__},                     \
			 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void html_write_warnings(struct html *h, const struct report_warning *warning, uint32_t warnings);
/* The last data of a page, all of its strings, and what follows them. -1: out of memory. */
int html_write_end(struct html *h, const char *tail);

/* A page before and after its data, as page/assemble.sh makes them: NAME_head and NAME_tail, from
 * the files HTML_HEAD and HTML_TAIL. */
#define HTML_PAGE(name)                                                                            \
	extern const char name##_head[], name##_tail[];                                            \
	__asm__(".section .rodata\n"                                                               \
		".global " #name "_head, " #name "_tail\n" #name "_head: .incbin \"" HTML_HEAD     \
		"\"\n.byte 0\n" #name "_tail: .incbin \"" HTML_TAIL "\"\n.byte 0\n.text\n")

/* The parts of the page. */
void html_states(struct html *h);
void html_sites(struct html *h);
void html_tables(struct html *h);
void html_loops(struct html *h);
void html_displaced(struct html *h); /* null: there is no account, or several */
