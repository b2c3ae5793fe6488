// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths as lines of text, innermost first, without the C library's frames
 * outside of main or of a thread's start, which are the same everywhere. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/utf8.h"
#include "report/model/model.h"
#include "report/symbols/symbolize.h"

/* The program's own functions need no module's name behind them. */
static bool is_program(const struct report *r, const char *module)
{
	return r->first && !strcmp(r->first->exe, module);
}

static void put_names(FILE *out, const struct symbol *s, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? " < " : "", s[i].brief ? s[i].brief : "?");
}

/* A frame whose function is known: "name at file:line". A function that was inlined stands before
 * the one that holds its code: "inner < outer at file:line", the line being inner's. The offset
 * counts from the function where its start is known, else from the module. */
static void put_named(FILE *out, const struct report *r, const struct symbol *s, size_t count,
		      unsigned detail)
{
	const char *module = detail & APART_MODULE ? s->module : s->module_name;
	bool from_start = s->into != SYMBOL_START_UNKNOWN;
	/* Such a file has names only for what it exports, and no lines. */
	const char *stripped = s->source == SYMBOL_FROM_DYNAMIC ? ", stripped" : "";

	put_names(out, s, count);
	if (detail && from_start)
		fprintf(out, "+0x%" PRIx64, s->into);
	if (s->file)
		fprintf(out, " at %s:%d", base_name(s->file), s->line);
	if (detail && !from_start)
		fprintf(out, " (%s%s+0x%" PRIx64 ")", module, stripped, s->offset);
	else if (detail & APART_MODULE || (!s->file && !is_program(r, s->module)))
		fprintf(out, " (%s%s)", module, stripped);
	else if (*stripped)
		fputs(" (stripped)", out);
}

/* In a word: its function and those inlined into it. */
static void put_word(FILE *out, const struct symbol *s, size_t count, unsigned detail)
{
	put_names(out, s, count);
	if (detail & APART_OFFSET)
		fprintf(out, "+0x%" PRIx64, s->into != SYMBOL_START_UNKNOWN ? s->into : s->offset);
	if (detail & APART_MODULE)
		fprintf(out, " (%s)", s->module);
}

static unsigned source_detail(unsigned detail)
{
	return (detail & APART_OFFSET ? SYMBOLIZE_SOURCE_COLUMN : 0) |
	       (detail & APART_INSTRUCTION ? SYMBOLIZE_SOURCE_INSTRUCTION : 0) |
	       (detail & APART_MODULE ? SYMBOLIZE_SOURCE_PATH : 0);
}

/* Without a name it is its place in its module. */
static void put_frame(FILE *out, struct report *r, const struct prof_frame *frame, unsigned detail,
		      bool word)
{
	size_t count;
	const struct symbol *s = frame_symbols_find(r, frame, &count);

	detail &= ~(unsigned)APART_SHOW;
	if (frame->heuristic)
		fputs(REPORT_HEURISTIC_MARK " ", out);
	if (s->language)
		symbolize_source_put(out, s, source_detail(detail));
	else if (s->module && (count > 1 || s->brief) && word)
		put_word(out, s, count, detail);
	else if (s->module && (count > 1 || s->brief))
		put_named(out, r, s, count, detail);
	else if (!s->module)
		fprintf(out, "0x%" PRIx64 "%s", s->offset,
			word ? "" : " (no module: JIT or generated code)");
	else
		fprintf(out, "%s+0x%" PRIx64, detail & APART_MODULE ? s->module : s->module_name,
			s->offset);
	if (!word && !s->language && s->module && count == 1 && !s->brief && s->file)
		fprintf(out, " at %s:%d", base_name(s->file), s->line);
}

char *text_path_frame_line(struct report *r, const struct prof_frame *frame, unsigned detail)
{
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	if (memory.to)
		put_frame(memory.to, r, frame, detail, false);
	return utf8_memory_end(&memory);
}

/* A frame behind `folded` ones that are not shown. */
static char *after_fold(struct text *t, char *frame, uint32_t folded)
{
	if (!frame || !folded)
		return frame;
	char *line = utf8_text("%s %" PRIu32 " more, then %s", t->terminal.utf8 ? "…" : "..",
			       folded, frame);
	free(frame);
	return line;
}

/* The first rows show more. */
uint32_t text_path_lines(const struct text *t, uint32_t row)
{
	if (t->options->frames != REPORT_FRAMES_DEFAULT)
		return t->options->frames;
	return row < 10 ? 6 : 2;
}

void text_path_notes(struct text *t, struct table *table, const struct report_site *s,
		     const unsigned char *mark, uint32_t lines)
{
	uint32_t frames = s->frames && lines ? frame_symbols_trim_startup(t->report, s) : 0;
	/* Where there is no room for all, the call site comes first. */
	uint32_t first = frames > lines ? path_site_find(s->frame, frames) : 0, next = 0;
	/* The last line is for the rest, unless the rest is one line. */
	uint32_t end = frames - first <= lines ? frames : first + (lines > 1 ? lines - 1 : 1);

	if (s->overflow && lines)
		table_note(table, report_names_path_end(s));
	if (!end)
		return;
	for (uint32_t i = 0; i < s->frames; i++) {
		if ((i < first || i >= end) && !(mark[i] & APART_SHOW))
			continue;
		text_cell_note_of(t, table,
				  after_fold(t,
					     text_path_frame_line(t->report, &s->frame[i], mark[i]),
					     i - next));
		next = i + 1;
	}
	if (next < frames && lines > 1)
		text_cell_note(t, table, "%s %" PRIu32 " more frame%s",
			       t->terminal.utf8 ? "…" : "..", frames - next,
			       frames - next == 1 ? "" : "s");
	if ((next >= frames || mark[s->frames]) && report_names_path_end(s))
		table_note(table, report_names_path_end(s));
}

/* The call site and the frames around it, the innermost one of the program's own code if that is
 * further out, and those that distinguish the row. */
#define WORDS 3

/* `frames`: all are of libraries, or the language does not tell. */
static uint32_t own_frame(struct report *r, const struct report_site *s, uint32_t first,
			  uint32_t frames)
{
	for (uint32_t i = first; i < frames; i++) {
		const struct symbol *symbol = frame_symbols_find(r, &s->frame[i], NULL);

		if (symbol->language && !symbol->library)
			return i;
	}
	return frames;
}

static void put_words(FILE *out, struct text *t, const struct report_site *s,
		      const unsigned char *mark)
{
	uint32_t frames = frame_symbols_trim_startup(t->report, s), next = 0;
	uint32_t first = frames > WORDS ? path_site_find(s->frame, frames) : 0;
	uint32_t own = own_frame(t->report, s, first, frames);
	uint32_t near = first + (own < frames && own >= first + WORDS ? WORDS - 1 : WORDS);
	const char *end = report_names_path_end(s);

	for (uint32_t i = 0; i < s->frames; i++) {
		bool shown = i < frames && ((i >= first && i < near) || i == own);

		if (!shown && !(mark[i] & APART_SHOW))
			continue;
		fprintf(out, "%s%s", next ? " < " : "",
			i == next	   ? ""
			: t->terminal.utf8 ? "… < "
					   : ".. < ");
		put_frame(out, t->report, &s->frame[i], mark[i], true);
		next = i + 1;
	}
	if (end && (next >= frames || mark[s->frames]))
		fprintf(out, "%s%s", next ? " < " : "", end);
}

void text_path_line(struct text *t, struct table *table, const struct report_site *s,
		    const unsigned char *mark)
{
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	table->failed |= !memory.to;
	if (memory.to && s->overflow)
		fputs(report_names_path_end(s), memory.to);
	else if (memory.to && s->frames)
		put_words(memory.to, t, s, mark);
	char *line = utf8_memory_end(&memory);
	if (line)
		text_cell_note_of(t, table, line);
}

/* Short, since two of them share a line: function:line, or what is known. */
static char *caller_label(struct report *r, const struct prof_frame *frame)
{
	const struct symbol *s = frame_symbols_find(r, frame, NULL);

	if (!s->brief || !s->line)
		return text_path_frame_line(r, frame, s->brief ? APART_OFFSET : 0);
	return utf8_text("%s:%d", s->brief, s->line);
}

char *text_path_site_label(struct text *t, uint32_t site, const char *when_none)
{
	const struct report_site *s = &t->report->site[site];
	char *label = NULL, *caller = NULL, *function;

	if (site >= t->report->sites)
		return strdup(when_none);
	function = text_path_function_label(t, site);
	if (s->frames)
		caller = caller_label(t->report, &s->frame[path_site_find(s->frame, s->frames)]);
	if (function && (caller || !s->frames))
		label = utf8_text("%s%s%s", function, caller ? " in " : "", caller ? caller : "");
	free(function);
	free(caller);
	return utf8_cleaned(label, t->terminal.utf8);
}

char *text_path_function_label(struct text *t, uint32_t site)
{
	const struct report_site *s = &t->report->site[site];
	bool plain = s->outcome == SCP_COMPLETED;
	char *label = utf8_text("%s%s%s%s", t->report->profile->function[s->function].name,
				plain ? "" : " [", plain ? "" : report_names_outcome(s),
				plain ? "" : "]");

	return utf8_cleaned(label, t->terminal.utf8);
}
