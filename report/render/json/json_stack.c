// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths as arrays of frames. */
#include "report/render/json/json.h"

#include "report/model/model.h"

static const char *source_name(enum symbol_source source)
{
	static const char *const names[] = {
		[SYMBOL_UNKNOWN] = NULL,
		[SYMBOL_FROM_DEBUG_INFO] = "debug-info",
		[SYMBOL_FROM_TABLE] = "symbol-table",
		[SYMBOL_FROM_DYNAMIC] = "dynamic-symbols",
		[SYMBOL_FROM_PERF_MAP] = "perf-map",
		[SYMBOL_FROM_INTERPRETER] = "interpreter",
	};

	return names[source];
}

void json_stack_frame(struct json_writer *w, const struct symbol *s, bool heuristic)
{
	json_write_open(w, NULL, '{');
	if (s->language)
		json_write_text(w, "language", s->language);
	json_write_text(w, "function", s->function);
	json_write_text(w, "module", s->module);
	json_write_count(w, "offset", s->offset);
	json_write_count_if(w, "function_offset", s->into != SYMBOL_START_UNKNOWN, s->into);
	json_write_text(w, "file", s->file);
	json_write_count_if(w, "line", s->line, (uint64_t)s->line);
	if (s->column)
		json_write_integer(w, "column", s->column);
	json_write_flag(w, "inlined", s->inlined);
	json_write_text(w, "name_from", source_name(s->source));
	if (heuristic)
		json_write_flag(w, "heuristic", true);
	json_write_close(w, '}');
}

static const char *path_name(const struct report_site *s)
{
	if (s->overflow)
		return "not-kept";
	if (s->path_flags & SCP_PATH_SMALL_STACK)
		return "caller-only";
	if (s->path_flags & SCP_PATH_LIMITED)
		return "limited";
	if (s->path_flags & SCP_PATH_CUT)
		return "cut";
	if (s->path_flags & SCP_PATH_TRUNCATED)
		return "truncated";
	return s->path_flags & SCP_PATH_PYTHON_CUT ? "python-cut" : "complete";
}

void json_stack_write(struct json_writer *w, struct report *r, const struct report_site *s)
{
	json_write_text(w, "path", path_name(s));
	json_write_open(w, "stack", '[');
	for (uint32_t i = 0; i < s->frames; i++) {
		size_t count;
		const struct symbol *symbol = frame_symbols_find(r, &s->frame[i], &count);

		for (size_t k = 0; k < count; k++)
			json_stack_frame(w, &symbol[k], s->frame[i].heuristic);
	}
	json_write_close(w, ']');
}
