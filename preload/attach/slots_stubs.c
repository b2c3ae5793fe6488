// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "preload/attach/slots.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/process/libc.h"

extern void scprof_chosen_call(void);
extern void scprof_chosen_dlsym(void);

static struct slots_list opened; /* of const struct scp_selected_table *, the earlier sessions' */

static bool same_text(const struct scp_selected *a, uint32_t at_a, const struct scp_selected *b,
		      uint32_t at_b)
{
	return !at_a == !at_b && text_equal(selected_text(a, at_a), selected_text(b, at_b));
}

static bool is_equal(const struct scp_selected_table *a, const struct scp_selected_table *b)
{
	for (uint32_t i = 0; a->count == b->count && i < a->count; i++) {
		const struct scp_selected *x = selected_symbol(a, i), *y = selected_symbol(b, i);
		if (x->flags != y->flags || x->stack_words != y->stack_words ||
		    !same_text(x, x->name, y, y->name) ||
		    !same_text(x, x->version, y, y->version) ||
		    !same_text(x, x->shown, y, y->shown) || !same_text(x, x->soname, y, y->soname))
			return false;
	}
	return a->count == b->count;
}

/* Where our functions are: the loader found nobody who defines the names. */
static bool bind(const struct link_map *map)
{
	struct slots_object o = {.base = map->l_addr};
	unsigned bound = 0;
	slots_object_read(&o, map->l_ld);
	for (uint64_t i = 0; o.names.symbol && o.names.string && i < o.relocations[SLOTS_DATA];
	     i++) {
		const Elf64_Rela *r = &o.rela[SLOTS_DATA][i];
		const char *name = o.names.string + o.names.symbol[ELF64_R_SYM(r->r_info)].st_name;
		uint64_t *word = (uint64_t *)(o.base + r->r_offset);
		bool call = text_equal(name, "scprof_chosen_call");
		if (!call && !text_equal(name, "scprof_chosen_dlsym"))
			continue;
		*word = call ? (uint64_t)scprof_chosen_call : (uint64_t)scprof_chosen_dlsym;
		bound++;
	}
	return bound == 2;
}

static const struct scp_selected_table *open_table(const char *path, void **handle)
{
	struct link_map *map = NULL;
	if (!dlopen || !dlsym || !dladdr1)
		return NULL;
	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct scp_selected_table *t = *handle ? dlsym(*handle, "scprof_chosen_table") : NULL;
	Dl_info info;
	return t && bytes_equal(t->magic, SCP_SELECTED_MAGIC, sizeof t->magic) &&
			       t->count <= SCP_SELECTED_MAX &&
			       dladdr1(t, &info, (void **)&map, RTLD_DL_LINKMAP) && map && bind(map)
		       ? t
		       : NULL;
}

static const struct scp_selected_table *known_table(const struct scp_selected_table *t)
{
	const struct scp_selected_table *const *known = opened.at;
	for (uint32_t i = 0; i < opened.count; i++)
		if (is_equal(known[i], t))
			return known[i];
	return NULL;
}

/* Ids that no table before has. (The kernel's limit on mappings comes long before their end.) */
static const struct scp_selected_table *keep(const struct scp_selected_table *t)
{
	static uint32_t given;
	const struct scp_selected_table **kept = slots_memory_add(&opened, sizeof *kept);
	if (!kept)
		return NULL;
	for (uint32_t i = 0; i < t->count; i++)
		selected_symbol(t, i)->id += given;
	given += t->count;
	return *kept = t;
}

bool slots_stubs_use(const char *path)
{
	const struct scp_selected_table *t, *known, *kept;
	void *handle = NULL;
	int saved = errno;
	if (!path) {
		__atomic_store_n(&selected_now, NULL, __ATOMIC_SEQ_CST);
		return true;
	}
	t = open_table(path, &handle);
	known = t ? known_table(t) : NULL;
	kept = t && !known ? keep(t) : known;
	if (handle && (!kept || kept != t)) /* nobody has been led there yet */
		((int (*)(void *))function_resolve(FN_dlclose))(handle);
	if (kept) {
		__atomic_store_n(&selected_now, kept, __ATOMIC_SEQ_CST);
		selected_resolve_all();
	} else {
		dlerror(); /* ours, not the program's */
	}
	errno = saved;
	return kept != NULL;
}
