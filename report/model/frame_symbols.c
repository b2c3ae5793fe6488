// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of the frames of a report, as renderers ask for them. What becomes known on the way about a
 * module, such as that it changed since the run, becomes a warning of the report. */
#include "report/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "report/wording/warning_list.h"
#include "report/wording/utf8.h"

/* Servers that are named were asked already. */
static const char *asked_where(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && *servers ? "; the servers of DEBUGINFOD_URLS gave no such file" : "";
}

static void warn_module(struct report *r, uint32_t module)
{
	const struct prof_module *m = &r->profile->module[module];
	enum symbolize_state state = symbolize_module_state(r->symbols, module);
	const char *base = base_name(m->path);

	if (state == SYMBOLIZE_STALE)
		warning_list_note(r, "missing-module",
				  "%s is not the build that ran: frames are shown as %s+offset",
				  m->path, base);
	else if (state == SYMBOLIZE_MISSING && m->path[0] == '/' &&
		 symbolize_is_guarded(r->symbols))
		warning_list_note(
			r, "missing-module",
			"%s was not opened, or is not here: frames are shown as %s+offset", m->path,
			base);
	else if (state == SYMBOLIZE_MISSING && m->build_id_bytes && m->path[0] == '/')
		warning_list_note(r, "missing-module",
				  "%s is not here any more: frames are shown as %s+offset%s",
				  m->path, base, asked_where());
}

static void warn_maps(struct report *r)
{
	const char *refused;

	while ((refused = symbolize_refused_map(r->symbols)) != NULL)
		warning_list_note(r, "names-left-out", "%s was not used", refused);
	if (symbolize_ambiguous(r->symbols))
		warning_list_note(r, "names-left-out",
				  "The processes' maps of generated code differ");
}

static void warn_left_out(struct report *r)
{
	if (symbolize_left_out(r->symbols))
		warning_list_note(r, "names-left-out",
				  "Names or lines were left out: files are too large");
}

/* What a frame has brought to light, once a module. */
static void note_news(struct report *r, uint32_t module)
{
	uint32_t modules = r->profile->modules;

	warn_left_out(r);
	if (module >= modules) {
		warn_maps(r);
		return;
	}
	if (!r->module_noted)
		r->module_noted = calloc(modules, sizeof(*r->module_noted));
	if (r->module_noted && !r->module_noted[module]) {
		r->module_noted[module] = true;
		warn_module(r, module);
	}
}

const struct symbol *frame_symbols_find(struct report *r, const struct prof_frame *frame,
					size_t *count)
{
	const struct symbol *symbol = symbolize_frame(r->symbols, frame, count);

	if (frame->module != PROF_SOURCE)
		note_news(r, frame->module);
	return symbol;
}

bool frame_symbols_is_starter(const struct symbol *s)
{
	/* Without its debug information libc does not name most of them. */
	return s->function ? symbolize_starter(s->function) != NULL : symbolize_is_libc(s->module);
}

/* _start of a stripped program has no name, but what calls __libc_start_main is nothing else. */
uint32_t frame_symbols_trim_startup(struct report *r, const struct report_site *s)
{
	uint32_t frames = s->frames;
	size_t count;

	if (frames > 2 &&
	    frame_symbols_is_starter(frame_symbols_find(r, &s->frame[frames - 2], &count)))
		frames--;
	while (frames > 1 &&
	       frame_symbols_is_starter(frame_symbols_find(r, &s->frame[frames - 1], &count)))
		frames--;
	return frames;
}
