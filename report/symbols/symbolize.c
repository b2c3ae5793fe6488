// SPDX-License-Identifier: GPL-3.0-or-later
/* One libdwfl session a module, opened when the first of its frames is looked up, and a cache of
 * all answers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/array.h"
#include "profile/base/demangle.h"
#include "report/containers/string_index.h"
#include "report/symbols/generated.h"
#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_private.h"
#include "report/wording/utf8.h"

/* A linker name, demangled once. */
struct symbol_name {
	char *function, *brief; /* NULL: not yet, or out of memory */
};

static void demangle(struct symbol_name *n, const char *linker_name)
{
	n->function = demangle_full(linker_name);
	n->brief = demangle_brief(linker_name);
	/* the version of a symbol is no part of its name */
	for (int i = 0; i < 2 && *linker_name != '_'; i++) {
		char *name = i ? n->brief : n->function, *at = name ? strchr(name, '@') : NULL;

		if (at > name)
			*at = '\0';
	}
}

struct key {
	uint64_t offset;
	uint32_t module, exact;
};

struct answer {
	struct symbol *symbol; /* NULL: not asked for yet */
	size_t count;
};

struct symbolizer {
	const struct profile *profile;
	struct symbolize_sessions sessions;
	struct symbolize_module *loaded; /* one for each module of the profile */
	const char **module_name;	 /* of each; NULL: not asked for yet */
	struct pairs places;		 /* modules, and the upper half of the offset in them */
	struct pairs frames;		 /* those, and the lower half */
	struct answer *answer;		 /* by number of the frame */
	uint32_t room;
	struct string_index linker_names;
	struct symbol_name *name; /* by number of the linker name */
	uint32_t name_room;
	uint32_t symbols; /* in the answers */
	struct jit jit;
	struct generated_names generated;
	bool ambiguous, ambiguous_told; /* maps of generated code disagree */
	bool left_out_told;
	struct symbol nothing; /* the answer when out of memory */
};

struct symbolizer *symbolize_new(const struct profile *p)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->profile = p;
	s->sessions.files.guarded = p->foreign && !geteuid();
	s->loaded = calloc(p->modules ? p->modules : 1, sizeof(*s->loaded));
	s->module_name = calloc(p->modules ? p->modules : 1, sizeof(*s->module_name));
	s->jit = (struct jit){.profile = p, .files = &s->sessions.files};
	if (!s->loaded || !s->module_name || !symbolize_module_begin(&s->sessions)) {
		symbolize_free(s);
		return NULL;
	}
	return s;
}

void symbolize_guard(struct symbolizer *s)
{
	s->sessions.files.guarded = true;
}

bool symbolize_is_guarded(const struct symbolizer *s)
{
	return s->sessions.files.guarded;
}

void symbolize_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->frames.count && i < s->room; i++)
		free(s->answer[i].symbol);
	free(s->answer);
	pairs_clear(&s->places);
	pairs_clear(&s->frames);
	for (uint32_t i = 0; i < s->linker_names.count && i < s->name_room; i++)
		PROF_FREE(&s->name[i], function, brief);
	free(s->name);
	string_index_clear(&s->linker_names);
	symbolize_module_clear_sessions(&s->sessions);
	symbolize_jit_clear(&s->jit);
	symbolize_generated_free(&s->generated);
	PROF_FREE(s, module_name, loaded);
	free(s);
}

/* Does the command line begin with the program's name? An interpreter's begins with its own. */
static bool is_started_as(const struct prof_process *q)
{
	const char *first = q->argc ? base_name(q->argv[0]) : q->program;

	return q->program && *q->program && !strncmp(first, q->program, strlen(q->program));
}

const char *symbolize_module_name(const struct profile *p, const char *path)
{
	const char *name = NULL;

	for (const struct prof_process *q = p->process; q < p->process + p->processes; q++) {
		if (strcmp(q->exe, path) != 0)
			continue;
		if (!is_started_as(q) || (name && strcmp(name, q->program) != 0))
			return base_name(path);
		name = q->program;
	}
	return name ? name : base_name(path);
}

static const char *name_of_module(struct symbolizer *s, uint32_t module)
{
	const char **name = &s->module_name[module];

	return *name ? *name
		     : (*name = symbolize_module_name(s->profile, s->profile->module[module].path));
}

/* NULL for NULL, and out of memory. */
static void put_name(struct symbolizer *s, struct symbol *symbol, const char *name)
{
	uint32_t number = string_index_add(&s->linker_names, name);
	struct symbol_name *n = NULL;

	if (array_reach((void **)&s->name, &s->name_room, number, sizeof(*n), 0))
		n = &s->name[number];
	if (n && !n->function && !n->brief)
		demangle(n, name);
	symbol->linker_name = name;
	symbol->function = n ? n->function : NULL;
	symbol->brief = n ? n->brief : NULL;
}

size_t symbolize_stem(const char *name)
{
	static const char *const parts[] = {" [clone ",	   ".cold",	 ".part.", ".isra.",
					    ".constprop.", ".lto_priv.", ".llvm.", ".localalias"};
	size_t stem = strlen(name);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *at = strstr(name, parts[i]);

		if (at && at > name && (size_t)(at - name) < stem)
			stem = (size_t)(at - name);
	}
	return stem;
}

bool symbolize_is_libc(const char *module)
{
	return module && (!strncmp(base_name(module), "libc.so", 7) ||
			  !strncmp(base_name(module), "libpthread", 10));
}

const char *symbolize_starter(const char *function)
{
	size_t bytes = function ? strcspn(function, "@") : 0;
	static const char *const starters[] = {"__libc_start_main",
					       "__libc_start_main_impl",
					       "__libc_start_call_main",
					       "start_thread",
					       "clone",
					       "clone3",
					       "__clone",
					       "__clone3",
					       "_start"};

	for (size_t i = 0; bytes && i < sizeof(starters) / sizeof(starters[0]); i++)
		if (!strncmp(function, starters[i], bytes) && !starters[i][bytes])
			return starters[i];
	return NULL;
}

/* Names from the file of a module that is loaded. Nearly every path begins in libc where threads
 * do: the symbol says all of that, and libc's debug information takes 60 ms to unpack. */
static size_t levels_in(struct symbolize_session *l, const struct key *k, const char *path,
			struct inline_level *level, const char **outer, GElf_Off *into)
{
	uint64_t back = k->exact || !k->offset ? 0 : 1;
	GElf_Addr address = k->offset + l->bias - back;

	*outer = symbolize_table_find(l->table, address, into);
	*into += back;
	const char *starter = symbolize_is_libc(path) ? symbolize_starter(*outer) : NULL;
	if (starter) {
		*outer = starter;
		return 0;
	}
	return symbolize_inline_levels(l->debug.files, l->module, address, level);
}

/* In no module: generated code, perhaps. */
static struct symbol *look_up_generated(struct symbolizer *s, const struct key *k, size_t *count)
{
	uint64_t back = k->exact || !k->offset ? 0 : 1;
	struct jit_name found = symbolize_jit_look_up(&s->jit, k->offset - back);
	struct symbol *symbol = calloc(1, sizeof(*symbol));

	*count = 1;
	if (!symbol)
		return NULL;
	symbol->offset = k->offset;
	symbol->into = SYMBOL_START_UNKNOWN;
	if (found.name) {
		symbol->into = k->offset - found.start;
		symbol->source = SYMBOL_FROM_PERF_MAP;
		if (!symbolize_generated_fill(&s->generated, &found, symbol))
			put_name(s, symbol, found.name);
	}
	s->ambiguous |= found.ambiguous;
	return symbol;
}

/* Debug information has no namespace in the names of local functions; the symbol table has. And in
 * that of glibc many functions have the name by which it calls them itself: "__GI___libc_malloc".
 */
static bool says_more(const char *outer, const char *function)
{
	return outer &&
	       (!function || (!strncmp(function, "__", 2) && *outer != '_') ||
		!strncmp(function, "__GI_", 5) ||
		(!strncmp(outer, "_Z", 2) && strncmp(function, "_Z", 2) && !strchr(outer, '.')));
}

static struct symbol *look_up(struct symbolizer *s, const struct key *k, size_t *count)
{
	struct inline_level level[INLINE_LEVELS];
	struct symbolize_module *l = &s->loaded[k->module];
	const char *outer = NULL;
	struct symbol *symbol;
	GElf_Off into = 0;
	size_t n = 0;

	if (l->state == SYMBOLIZE_UNTRIED)
		symbolize_module_open(&s->sessions, l, s->profile, k->module);
	if (l->state == SYMBOLIZE_LOADED)
		n = levels_in(l->session, k, s->profile->module[k->module].path, level, &outer,
			      &into);
	if (!n)
		level[n++] = (struct inline_level){NULL, NULL, 0, 0, false};
	if (says_more(outer, level[n - 1].function))
		level[n - 1].function = outer;
	symbol = calloc(n, sizeof(*symbol));
	for (size_t i = 0; symbol && i < n; i++) {
		put_name(s, &symbol[i], level[i].function);
		symbol[i].module = s->profile->module[k->module].path;
		symbol[i].module_name = name_of_module(s, k->module);
		symbol[i].offset = k->offset;
		symbol[i].into = outer ? into : SYMBOL_START_UNKNOWN;
		symbol[i].file = level[i].file;
		symbol[i].line = level[i].file ? level[i].line : 0;
		symbol[i].declared = symbol[i].line ? level[i].declared : 0;
		symbol[i].inlined = level[i].inlined;
		symbol[i].source = !level[i].function		? SYMBOL_UNKNOWN
				   : level[i].function != outer ? SYMBOL_FROM_DEBUG_INFO
				   : symbolize_table_is_stripped(l->session->table)
					   ? SYMBOL_FROM_DYNAMIC
					   : SYMBOL_FROM_TABLE;
	}
	*count = n;
	return symbol;
}

static struct symbol *look_up_source(struct symbolizer *s, const struct prof_frame *frame,
				     size_t *count)
{
	struct key code = {.offset = symbolize_source_address(s->profile, frame),
			   .module = PROF_NONE};
	struct symbol *symbol;

	if (code.offset)
		return look_up_generated(s, &code, count);
	symbol = calloc(1, sizeof(*symbol));
	*count = 1;
	if (symbol)
		symbolize_source_fill(s->profile, frame, symbol);
	return symbol;
}

/* NULL: out of memory. */
static struct answer *place_of(struct symbolizer *s, const struct key *k)
{
	uint32_t place = pairs_add(&s->places, k->module, (uint32_t)(k->offset >> 32)), number;

	if (place == PAIRS_NONE)
		return NULL;
	number = pairs_add(&s->frames, 2 * place + k->exact, (uint32_t)k->offset);
	return array_reach((void **)&s->answer, &s->room, number, sizeof(*s->answer), 0)
		       ? &s->answer[number]
		       : NULL;
}

static const struct answer *find_answer(struct symbolizer *s, const struct prof_frame *frame)
{
	struct key key = {.offset = frame->offset,
			  .module = frame->module < s->profile->modules ||
						    frame->module == PROF_SOURCE
					    ? frame->module
					    : PROF_NONE,
			  .exact = frame->exact};
	struct answer *a = place_of(s, &key);

	if (!a || a->symbol)
		return a;
	a->symbol = key.module == PROF_SOURCE ? look_up_source(s, frame, &a->count)
		    : key.module == PROF_NONE ? look_up_generated(s, &key, &a->count)
					      : look_up(s, &key, &a->count);
	for (size_t i = 0; a->symbol && i < a->count; i++)
		a->symbol[i].number = s->symbols++;
	return a->symbol ? a : NULL;
}

const struct symbol *symbolize_frame(struct symbolizer *s, const struct prof_frame *frame,
				     size_t *count)
{
	const struct answer *a = find_answer(s, frame);

	if (count)
		*count = a ? a->count : 1;
	if (a)
		return a->symbol;
	memset(&s->nothing, 0, sizeof(s->nothing));
	s->nothing.offset = frame->offset;
	s->nothing.into = SYMBOL_START_UNKNOWN;
	if (frame->module == PROF_SOURCE)
		symbolize_source_fill(s->profile, frame, &s->nothing);
	s->nothing.number = SYMBOL_UNNUMBERED;
	if (frame->module < s->profile->modules) {
		s->nothing.module = s->profile->module[frame->module].path;
		s->nothing.module_name = name_of_module(s, frame->module);
	}
	return &s->nothing;
}

enum symbolize_state symbolize_module_state(const struct symbolizer *s, uint32_t module)
{
	return module < s->profile->modules ? s->loaded[module].state : SYMBOLIZE_MISSING;
}

const char *symbolize_refused_map(struct symbolizer *s)
{
	return symbolize_jit_refused(&s->jit);
}

static bool is_news(bool is, bool *told)
{
	bool news = is && !*told;

	*told |= news;
	return news;
}

bool symbolize_ambiguous(struct symbolizer *s)
{
	return is_news(s->ambiguous, &s->ambiguous_told);
}

bool symbolize_left_out(struct symbolizer *s)
{
	return is_news(s->sessions.files.left_out, &s->left_out_told);
}
