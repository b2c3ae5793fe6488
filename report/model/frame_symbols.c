// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of the frames of a report, as renderers ask for them. What becomes known on the way about a
 * module, such as that it changed since the run, becomes a warning of the report. */
#include "report/model/model.h"

#include <stdlib.h>

#include "report/wording/warning_list.h"

static void warn_module(struct report *r, uint32_t module)
{
	const struct prof_module *m = &r->profile->module[module];
	enum symbolize_state state = symbolize_module_state(r->symbols, module);
	const char *servers = getenv("DEBUGINFOD_URLS"), *what = NULL;
	bool missing = state == SYMBOLIZE_MISSING && m->path[0] == '/', asked = false;

	if (state == SYMBOLIZE_STALE) {
		what = "is not the build that ran";
	} else if (missing && symbolize_is_guarded(r->symbols)) {
		what = "was not opened, or is not here";
	} else if (missing && m->build_id_bytes) {
		what = "is not here any more";
		asked = servers && *servers;
	}
	if (what)
		warning_list_note(r, "missing-module", "%s %s: frames are shown as %s+offset%s",
				  m->path, what, symbolize_module_name(r->profile, m->path),
				  asked ? "; the servers of DEBUGINFOD_URLS gave no such file"
					: "");
}

/* What a frame has brought to light, once a module. */
static void note_news(struct report *r, uint32_t module)
{
	uint32_t modules = r->profile->modules;
	const char *refused;

	if (symbolize_left_out(r->symbols))
		warning_list_note(r, "names-left-out",
				  "Names or lines were left out: files are too large");
	if (module >= modules) {
		while ((refused = symbolize_refused_map(r->symbols)) != NULL)
			warning_list_note(r, "names-left-out", "%s was not used", refused);
		if (symbolize_ambiguous(r->symbols))
			warning_list_note(r, "names-left-out",
					  "The processes' maps of generated code differ");
		return;
	}
	if (!r->module_noted)
		r->module_noted = calloc(modules, sizeof(*r->module_noted));
	if (r->module_noted && !r->module_noted[module]) {
		r->module_noted[module] = true;
		warn_module(r, module);
	}
}

void frame_symbols_free(struct report *r)
{
	symbolize_free(r->symbols);
	for (uint32_t i = 0; i < r->warnings; i++)
		warning_list_clear(&r->warning[i]);
	PROF_FREE(r, warning, module_noted);
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

	if (frames > 2 &&
	    frame_symbols_is_starter(frame_symbols_find(r, &s->frame[frames - 2], NULL)))
		frames--;
	while (frames > 1 &&
	       frame_symbols_is_starter(frame_symbols_find(r, &s->frame[frames - 1], NULL)))
		frames--;
	return frames;
}
