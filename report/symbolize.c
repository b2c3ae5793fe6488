// SPDX-License-Identifier: GPL-3.0-or-later
/* The symbolizer: one libdwfl session a module, opened when the first of its
 * frames is asked for, and a cache of answers. */
#include "symbolize.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#include "demangle.h"
#include "symbolize_inline.h"

struct key {
	uint64_t offset;
	uint32_t module, exact;
};

struct answer {
	struct key key;
	struct symbol *symbol;
	size_t count;
	UT_hash_handle hh;
};

struct loaded {
	enum symbolize_state state;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;
};

struct symbolizer {
	const struct profile *profile;
	struct loaded *loaded; /* one for each module of the profile */
	struct answer *answers;
	struct symbol nothing; /* the answer when memory is out */
};

/* Standard search: by build-id, then by debug link; over the network only
 * where the user has set DEBUGINFOD_URLS. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbolizer *symbolize_new(const struct profile *p)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->profile = p;
	s->loaded = calloc(p->modules ? p->modules : 1, sizeof(*s->loaded));
	if (!s->loaded) {
		free(s);
		return NULL;
	}
	return s;
}

static void free_symbols(struct symbol *symbol, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(symbol[i].function);
		free(symbol[i].brief);
		free(symbol[i].file);
	}
	free(symbol);
}

void symbolize_free(struct symbolizer *s)
{
	struct answer *a, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->answers, a, next)
	{
		HASH_DEL(s->answers, a);
		free_symbols(a->symbol, a->count);
		free(a);
	}
	for (uint32_t i = 0; i < s->profile->modules; i++)
		if (s->loaded[i].dwfl)
			dwfl_end(s->loaded[i].dwfl);
	free(s->loaded);
	free(s);
}

/* O_NONBLOCK: the path may name a pipe without a writer. */
static int open_regular(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool same_build(Dwfl_Module *module, const struct prof_module *want)
{
	const unsigned char *bits;
	GElf_Addr where;
	int bytes;

	if (!want->build_id_bytes)
		return true; /* nothing to compare with */
	bytes = dwfl_module_build_id(module, &bits, &where);
	return bytes == (int)want->build_id_bytes && !memcmp(bits, want->build_id, (size_t)bytes);
}

static Dwfl_Module *report_file(Dwfl *dwfl, const char *path)
{
	int fd = open_regular(path);
	Dwfl_Module *module;

	if (fd < 0)
		return NULL;
	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, "", path, fd);
	if (!module)
		close(fd); /* it is the library's only when the call succeeds */
	dwfl_report_end(dwfl, NULL, NULL);
	return module;
}

static enum symbolize_state load(struct loaded *l, const struct prof_module *m)
{
	if (m->path[0] != '/')
		return SYMBOLIZE_MISSING; /* [vdso], a deleted file */
	l->dwfl = dwfl_begin(&callbacks);
	if (!l->dwfl)
		return SYMBOLIZE_MISSING;
	l->module = report_file(l->dwfl, m->path);
	if (!l->module || !dwfl_module_getelf(l->module, &l->bias))
		return SYMBOLIZE_MISSING;
	return same_build(l->module, m) ? SYMBOLIZE_LOADED : SYMBOLIZE_STALE;
}

static struct loaded *module_of(struct symbolizer *s, uint32_t module)
{
	struct loaded *l = &s->loaded[module];

	if (l->state == SYMBOLIZE_UNTRIED)
		l->state = load(l, &s->profile->module[module]);
	return l;
}

/* The linker symbol whose bytes hold the address. The nearest one below is not
 * good enough: in a stripped file it is some other function. */
static const char *linker_name(const struct loaded *l, GElf_Addr address, GElf_Off *into)
{
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(l->module, address, into, &symbol, NULL, NULL, NULL);

	if (!name || (symbol.st_size && *into >= symbol.st_size))
		return NULL;
	return name;
}

static char *copy(const char *s)
{
	return s ? strdup(s) : NULL;
}

static struct symbol *look_up(struct symbolizer *s, const struct key *k, size_t *count)
{
	struct inline_level level[INLINE_LEVELS];
	struct loaded *l = k->module == PROF_NONE ? NULL : module_of(s, k->module);
	const char *outer = NULL;
	struct symbol *symbol;
	GElf_Off into = 0;
	size_t n = 0;

	if (l && l->state == SYMBOLIZE_LOADED) {
		uint64_t back = k->exact || !k->offset ? 0 : 1;
		GElf_Addr address = k->offset + l->bias - back;

		n = inline_levels(l->module, address, level);
		outer = linker_name(l, address, &into);
		into += back;
	}
	if (!n)
		level[n++] = (struct inline_level){NULL, NULL, 0, 0, false};
	if (!level[n - 1].function)
		level[n - 1].function = outer;
	symbol = calloc(n, sizeof(*symbol));
	for (size_t i = 0; symbol && i < n; i++) {
		const char *name = level[i].function;

		symbol[i].function = name ? demangle_full(name) : NULL;
		symbol[i].brief = name ? demangle_brief(name) : NULL;
		symbol[i].linker_name = name;
		symbol[i].module = l ? s->profile->module[k->module].path : NULL;
		symbol[i].offset = k->offset;
		symbol[i].into = outer ? into : SYMBOL_START_UNKNOWN;
		symbol[i].file = copy(level[i].file);
		symbol[i].line = level[i].file ? level[i].line : 0;
		symbol[i].declared = symbol[i].line ? level[i].declared : 0;
		symbol[i].inlined = level[i].inlined;
	}
	*count = n;
	return symbol;
}

static struct answer *find_answer(struct symbolizer *s, const struct prof_frame *frame)
{
	struct key key;
	struct answer *a;

	memset(&key, 0, sizeof(key));
	key.offset = frame->offset;
	key.module = frame->module < s->profile->modules ? frame->module : PROF_NONE;
	key.exact = frame->exact;
	HASH_FIND(hh, s->answers, &key, sizeof(key), a);
	if (a)
		return a;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->key = key;
	a->symbol = look_up(s, &key, &a->count);
	if (!a->symbol) {
		free(a);
		return NULL;
	}
	HASH_ADD(hh, s->answers, key, sizeof(a->key), a);
	return a;
}

const struct symbol *symbolize_frame(struct symbolizer *s, const struct prof_frame *frame,
				     size_t *count)
{
	struct answer *a = find_answer(s, frame);

	if (a) {
		*count = a->count;
		return a->symbol;
	}
	memset(&s->nothing, 0, sizeof(s->nothing));
	s->nothing.offset = frame->offset;
	s->nothing.into = SYMBOL_START_UNKNOWN;
	if (frame->module < s->profile->modules)
		s->nothing.module = s->profile->module[frame->module].path;
	*count = 1;
	return &s->nothing;
}

enum symbolize_state symbolize_module_state(const struct symbolizer *s, uint32_t module)
{
	return module < s->profile->modules ? s->loaded[module].state : SYMBOLIZE_MISSING;
}
