// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal modules and functions of all files and threads become one (paths: intern_paths.c).
 *
 * The key of each is its content, flattened to bytes without padding.
 */
#define HASH_NONFATAL_OOM 1
#include "profile/model/model.h"
#include "profile/base/array.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

struct intern_node {
	UT_hash_handle hh;
	uint32_t index;
	uint32_t bytes;
	uint8_t key[];
};

static struct intern_node *new_node(size_t bytes)
{
	struct intern_node *n = calloc(1, sizeof *n + bytes);

	if (n)
		n->bytes = (uint32_t)bytes;
	return n;
}

/* Finds `probe`'s equal. Returns true, with probe freed, if there was one. */
static bool find(struct intern_node *head, struct intern_node *probe, uint32_t *index)
{
	struct intern_node *found;

	HASH_FIND(hh, head, probe->key, probe->bytes, found);
	if (!found)
		return false;
	*index = found->index;
	free(probe);
	return true;
}

static bool insert(struct intern_node **head, struct intern_node *n, uint32_t index)
{
	n->index = index;
	HASH_ADD_KEYPTR(hh, *head, n->key, n->bytes, n);
	if (n->hh.tbl)
		return true;
	free(n);
	return false;
}

uint32_t intern_module(struct profile *p, const char *path, const uint8_t *build_id,
		       uint32_t build_id_bytes)
{
	size_t length = strlen(path);
	struct intern_node *n = new_node(1 + build_id_bytes + length);
	struct prof_module *grown, m = {.build_id_bytes = build_id_bytes};
	uint32_t index;

	if (!n)
		return PROF_NONE;
	n->key[0] = (uint8_t)build_id_bytes;
	memcpy(n->key + 1, build_id, build_id_bytes);
	memcpy(n->key + 1 + build_id_bytes, path, length);
	if (find(p->index->module, n, &index))
		return index;
	if (p->modules == PROF_SOURCE) {
		free(n);
		return PROF_NO_MODULE;
	}
	grown = array_room(p->module, &p->index->room[MODEL_MODULE], p->modules, sizeof *grown);
	if (grown)
		p->module = grown;
	m.path = grown ? strdup(path) : NULL;
	memcpy(m.build_id, build_id, build_id_bytes);
	if (!m.path) {
		free(n);
		return PROF_NONE;
	}
	if (!insert(&p->index->module, n, p->modules)) {
		free(m.path);
		return PROF_NONE;
	}
	p->module[p->modules] = m;
	return p->modules++;
}

uint32_t intern_function(struct profile *p, const char *name, const char *library, uint32_t group)
{
	size_t name_bytes = strlen(name) + 1, library_bytes = strlen(library) + 1;
	struct intern_node *n = new_node(name_bytes + library_bytes);
	struct prof_function *grown, f = {.group = group};
	uint32_t index;

	if (!n)
		return PROF_NONE;
	memcpy(n->key, name, name_bytes);
	memcpy(n->key + name_bytes, library, library_bytes);
	if (find(p->index->function, n, &index))
		return index;
	grown = array_room(p->function, &p->index->room[MODEL_FUNCTION], p->functions,
			   sizeof *grown);
	if (grown)
		p->function = grown;
	f.name = grown ? strdup(name) : NULL;
	f.library = grown ? strdup(library) : NULL;
	if (f.name && f.library && insert(&p->index->function, n, p->functions)) {
		p->function[p->functions] = f;
		return p->functions++;
	}
	if (!f.name || !f.library)
		free(n);
	free(f.name);
	free(f.library);
	return PROF_NONE;
}

static void forget(struct intern_node **head, uint32_t from)
{
	struct intern_node *n, *next;

	HASH_ITER(hh, *head, n, next)
	{
		// cppcheck-suppress uninitvar; HASH_ITER sets n
		if (n->index >= from) {
			HASH_DEL(*head, n);
			free(n);
		}
	}
}

void intern_rollback(struct profile *p, uint32_t modules, uint32_t functions, uint32_t paths)
{
	forget(&p->index->module, modules);
	forget(&p->index->function, functions);
	while (p->modules > modules)
		free(p->module[--p->modules].path);
	while (p->functions > functions) {
		p->functions--;
		free(p->function[p->functions].name);
		free(p->function[p->functions].library);
	}
	intern_paths_forget(p, paths);
}
