// SPDX-License-Identifier: GPL-3.0-or-later
/* Machine code's frames by the walk that serves attach, with Python's in the places of the C
 * functions that execute them. */
#include <stdlib.h>
#include <string.h>

#include "collector/dump/dump_private.h"

static void open_python(struct dump_stacks *s, const struct dump *d)
{
	pid_t *tid = calloc(d->threads + 1, sizeof(*tid));

	interpreter_open(&s->python, d->pid, s->objects.object, tid ? s->objects.count : 0);
	for (size_t i = 0; tid && i < d->threads; i++)
		tid[i] = d->thread[i].inner_tid;
	interpreter_list(&s->python, tid, tid ? d->threads : 0);
	s->alone = s->python.object && (s->python.object->kind != SAFE_POINT_PROGRAM ||
					interpreter_is_named(d->names->process->exe));
	free(tid);
}

bool dump_stack_open(struct dump_stacks *s, const struct dump *d)
{
	s->rows = frames_rows();
	if (!s->rows || !proc_maps_list(&s->maps, d->pid, NULL) ||
	    !objects_read(&s->objects, d->pid, &s->maps))
		return false;
	s->module = malloc(s->objects.count * sizeof(*s->module));
	if (s->module)
		memset(s->module, 0xff, s->objects.count * sizeof(*s->module)); /* PROF_NONE */
	open_python(s, d);
	return s->module != NULL;
}

void dump_stack_close(struct dump_stacks *s)
{
	objects_free(&s->objects);
	proc_maps_free(&s->maps);
	PROF_FREE(s, rows, module, python.thread);
}

static uint32_t add_module(pid_t pid, const struct safe_point_object *o, struct profile *names)
{
	struct prof_module *grown, added = {0};
	FILE *maps = proc_maps_open(pid);
	struct proc_mapping m;

	while (maps && !added.path && proc_maps_next(maps, &m))
		if (m.start == o->base)
			added.path = strdup(m.path);
	if (maps)
		fclose(maps);
	added.build_id_bytes = objects_build_id(o, pid, added.build_id);
	grown = added.path ? reallocarray(names->module, names->modules + 1, sizeof(*grown)) : NULL;
	if (!grown) {
		free(added.path);
		return PROF_NO_MODULE;
	}
	names->module = grown;
	names->module[names->modules] = added;
	return names->modules++;
}

/* An address becomes an offset in its module; `at` lies within a call, and frames are named by
 * where it returns to. */
static struct prof_frame machine_frame(const struct dump_stacks *s,
				       const struct safe_point_frame *f, struct profile *names)
{
	uint32_t none = PROF_NO_MODULE;
	uint32_t *module = f->object ? &s->module[f->object - s->objects.object] : &none;

	if (*module == PROF_NONE)
		*module = add_module(s->objects.pid, f->object, names);
	return (struct prof_frame){.offset = f->at + !f->stopped -
					     (*module == PROF_NO_MODULE ? 0 : f->object->bias),
				   .module = *module & PROF_NO_MODULE,
				   .exact = f->stopped,
				   .heuristic = f->heuristic};
}

static struct prof_frame entered_frame(const struct dump_stacks *s, struct profile *names)
{
	const struct safe_point_symbol *e = s->stack.entered;
	struct safe_point_frame f = {.stopped = true};

	if (e) {
		f.at = e->start;
		f.object = objects_find(&s->objects, e->start);
	}
	return machine_frame(s, &f, names);
}

void dump_stack_walk(struct dump_stacks *s, const struct dump_moment *m, struct profile *names,
		     struct dump_thread *t)
{
	const struct interpreter *p = &s->python;
	struct safe_point_stack *k = &s->stack;
	size_t next = 0;

	k->innermost = m->registers;
	k->window = m->window;
	frames_walk_loosely(&s->objects, s->rows, m->all, k);
	free(t->frame);
	t->frames = 0;
	t->cut = k->end != SAFE_POINT_WHOLE;
	t->entered = entered_frame(s, names);
	t->frame = calloc(k->count + m->pythons + 1, sizeof(*t->frame));
	/* Beyond the last frame come those of Python that it did not lead to. */
	for (size_t i = 0; t->frame && i <= k->count; i++) {
		const struct safe_point_frame *f = &k->frame[i];
		bool last = i == k->count, own = !last && m->pythons && f->object == p->object,
		     loop = own && interpreter_executes(p, f->at);

		if (!last && !loop && !(own && s->alone))
			t->frame[t->frames++] = machine_frame(s, f, names);
		for (bool ends = !last && !loop; next < m->pythons && !ends; next++) {
			ends = !last && m->python[next].ends;
			t->frames += interpreter_name(p, m->python[next].code, m->python[next].at,
						      names, &t->frame[t->frames]);
		}
	}
}
