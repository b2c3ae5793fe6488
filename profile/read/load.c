// SPDX-License-Identifier: GPL-3.0-or-later
/* From a checked file into the model: ids become indices, records become sums. Only memory can be
 * lacking here; whether the file is sound was settled before. Paths are interned in the order in
 * which entries use them, which makes a written model read back in the same order. */
#include "profile/read/load.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/proc_maps.h"
#include "profile/model/model.h"

/* A name without directories, to be freed: `stored`, or where that is "" the last part of `exe`
 * without the " (deleted)" of the kernel. A damaged file may say anything: a slash would make a
 * path of the name. NULL: out of memory. */
static char *program_name(const char *stored, const char *exe)
{
	size_t length = proc_maps_path_bytes(exe);
	const char *slash = memrchr(exe, '/', length), *name = slash ? slash + 1 : exe;

	if (*basename(stored))
		return strdup(basename(stored));
	return strndup(name, length - (size_t)(name - exe));
}

/* A command line as NUL-separated bytes, perhaps cut inside the last string, as at most *argc
 * strings and a NULL: one block, to be freed by one free(). *argc becomes how many there are. NULL:
 * out of memory. */
static char **program_arguments(const char *bytes, uint32_t count, uint32_t *argc)
{
	uint32_t found = 0, most = *argc;
	char **argv;

	for (uint32_t i = 0; i < count; i++)
		found += bytes[i] == 0;
	found += count && bytes[count - 1] != 0;
	if (found > most)
		found = most;
	argv = malloc(((size_t)found + 1) * sizeof *argv + count + 1);
	if (!argv)
		return NULL;
	char *text = (char *)(argv + found + 1);
	if (count)
		memcpy(text, bytes, count);
	text[count] = 0;
	for (uint32_t i = 0; i < found; i++) {
		argv[i] = text;
		text += strlen(text) + 1;
	}
	argv[found] = NULL;
	*argc = found;
	return argv;
}

/* `program`: as the file has it, perhaps "". */
static int load_process(struct load *l, const struct prof_process *from, const char *exe,
			const char *program, const char *argv, uint32_t argv_bytes)
{
	struct prof_process *out = model_add(l->p, MODEL_PROCESS);

	if (!out)
		return -1;
	*out = *from;
	out->exe = strdup(exe);
	out->program = program_name(program, exe);
	out->file = strdup(l->raw->path);
	out->owner = l->raw->owner;
	out->argv = program_arguments(argv, argv_bytes, &out->argc);
	return out->exe && out->program && out->file && out->argv ? 0 : -1;
}

#define PROCESS_MEMBERS pid, ppid, argc, end_state, start_real_ns, start_mono_ns, end_mono_ns

static int load_header_process(struct load *l)
{
	const struct scp_header *h = raw_header(l->raw);
	struct prof_process from = {.count = 1};

	PROF_SET(&from, h, PROCESS_MEMBERS);
	l->process = l->p->processes;
	return load_process(l, &from, h->exe, h->program, h->argv, h->argv_bytes);
}

/* What was seen of the end of that process of the file, and its run: no number of another file's.
 */
static void load_end(const struct load *l, const struct raw_ref *process, struct prof_process *to)
{
	const struct scp_end *r = load_block(l->raw, SCP_REC_END, process, 0);

	if (!r)
		return;
	to->end = (struct prof_end){r->seen, r->value};
	to->run = r->run ? prof_add32(l->runs, r->run) : 0;
}

static struct prof_attached load_attached(const struct raw_file *raw, const struct raw_ref *process)
{
	const struct scp_attached *r = load_block(raw, SCP_REC_ATTACH, process, 0);
	struct prof_attached attached = {0};

	if (!r)
		return attached;
	attached.known = true;
	PROF_COPY_RUN(&attached, flags, pid, r, flags, pid);
	return attached;
}

static int load_process_record(struct load *l, uint32_t i)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_PROCESS].ref[i];
	const struct scp_process *r = raw_record(l->raw, ref);
	struct prof_process from = {
		.count = r->count ? r->count : 1,
		.attached = load_attached(l->raw, ref),
	};

	load_end(l, ref, &from);
	/* No sum of 32 bits: the check has seen that it is within the record. */
	uint64_t strings =
		offsetof(struct scp_process, strings) + (uint64_t)r->exe_bytes + r->argv_bytes;

	PROF_SET(&from, r, PROCESS_MEMBERS);
	l->map[SCP_REC_PROCESS][i] = l->p->processes;
	return load_process(l, &from, r->strings,
			    r->rec.bytes > strings ? (const char *)r + strings : "",
			    r->strings + r->exe_bytes, r->argv_bytes);
}

/* Of a file of samples alone. */
static int find_process(struct load *l, uint32_t i)
{
	const struct scp_process *r = load_record(l, SCP_REC_PROCESS, i);

	l->map[SCP_REC_PROCESS][i] = i < PROF_SAMPLES_PROCESSES
					     ? samples_process_find(l->p, r->pid, r->start_mono_ns)
					     : 0;
	return 0;
}

static int load_module(struct load *l, uint32_t i)
{
	const struct scp_module *m = load_record(l, SCP_REC_MODULE, i);
	uint32_t index = intern_module(l->p, m->path, m->build_id, m->build_id_bytes);

	l->modules_lost += index == PROF_NO_MODULE;
	l->module[m->id] = (uint16_t)index;
	return index == PROF_NONE ? -1 : 0;
}

static int load_function(struct load *l, uint32_t i)
{
	const struct scp_function *f = load_record(l, SCP_REC_FUNCTION, i);

	l->map[SCP_REC_FUNCTION][i] =
		intern_function(l->p, raw_function_name(f), f->library, f->group);
	return l->map[SCP_REC_FUNCTION][i] == PROF_NONE ? -1 : 0;
}

/* A live table may be caught between two owners: then last is before first. */
static int load_table(struct load *l, uint32_t i)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_TABLE].ref[i];
	const struct scp_table *r = raw_record(l->raw, ref);
	struct prof_table *t = model_add(l->p, MODEL_TABLE);

	if (!t)
		return -1;
	*t = (struct prof_table){
		.process = l->process,
		.live = r->live != 0,
		.time_units =
			r->closed_units + (r->last_at > r->first_at ? r->last_at - r->first_at : 0),
	};
	PROF_SET(t, r, tid, threads, nested_units, nested_calls, recording_units, recordings,
		 walks);
	memcpy(t->name, r->name, sizeof t->name);
	memset(t->name + strlen(t->name), 0, sizeof t->name - strlen(t->name));
	if (raw_header(l->raw)->flags & SCP_FILE_MERGED)
		t->process = load_index(l, SCP_REC_PROCESS, 0, r->process);
	load_states_of_table(l->raw, ref, &t->states);
	l->map[SCP_REC_TABLE][i] = l->p->tables - 1;
	return 0;
}

static uint32_t find_path(const struct load *l, uint32_t entry)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_ENTRY].ref[entry];
	const struct scp_entry *r = raw_record(l->raw, ref);

	return raw_find(&l->raw->list[SCP_REC_PATH], ref->table, r->path, 0);
}

static int load_entry(struct load *l, uint32_t i)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_ENTRY].ref[i];
	const struct scp_entry *r = raw_record(l->raw, ref);
	struct profile *p = l->p;
	struct prof_entry *e = model_add(p, MODEL_ENTRY);

	if (!e)
		return -1;
	*e = (struct prof_entry){
		.table = load_index(l, SCP_REC_TABLE, ref->table, 0),
		.path = load_paths_add(l, find_path(l, i)),
		.function = load_index(l, SCP_REC_FUNCTION, 0, r->function),
		.outcome = r->flags & SCP_ENTRY_TIMED_OUT ? SCP_TIMEOUT : (uint16_t)r->outcome,
		.torn = r->seq & 1,
	};
	l->map[SCP_REC_ENTRY][i] = p->entries - 1;
	l->torn += e->torn;
	p->table[e->table].call_units += r->units;
	if (e->path == PROF_NONE || load_sums(l->raw, ref, &e->sums) ||
	    load_displacement_site(p, l->raw, ref, p->entries - 1))
		return -1;
	return 0;
}

static int load_gap(struct load *l, uint32_t i)
{
	const struct raw_ref *ref = &l->raw->list[SCP_REC_GAP].ref[i];
	const struct scp_gap *r = raw_record(l->raw, ref);
	struct profile *p = l->p;
	struct prof_gap *g = model_add(p, MODEL_GAP);

	if (!g)
		return -1;
	*g = (struct prof_gap){
		.table = load_index(l, SCP_REC_TABLE, ref->table, 0),
		.from = ref->id ? load_index(l, SCP_REC_ENTRY, ref->table, ref->id) : PROF_NONE,
		.to = ref->sub ? load_index(l, SCP_REC_ENTRY, ref->table, ref->sub) : PROF_NONE,
	};
	PROF_COPY_RUN(g, calls, max_units, r, calls, max_units);
	p->table[g->table].gap_units += r->units;
	return 0;
}

static int make_maps(struct load *l)
{
	l->module = malloc((UINT16_MAX + 1) * sizeof *l->module);
	if (!l->module)
		return -1;
	for (uint32_t id = 0; id <= UINT16_MAX; id++)
		l->module[id] = PROF_NO_MODULE;
	for (uint32_t type = SCP_REC_FUNCTION; type < RAW_TYPES; type++) {
		size_t bytes = ((size_t)l->raw->list[type].count + 1) * sizeof(uint32_t);

		l->map[type] = malloc(bytes);
		if (!l->map[type])
			return -1;
		memset(l->map[type], 0xff, bytes); /* PROF_NONE */
	}
	return 0;
}

/* For what may be a million. */
static int make_large_room(struct load *l)
{
	model_expect(l->p, MODEL_ENTRY, l->raw->list[SCP_REC_ENTRY].count);
	return intern_paths_expect(l->p, l->raw->list[SCP_REC_PATH].count);
}

/* Each behind what it names. */
static const struct step {
	uint32_t type;
	int (*load_one)(struct load *l, uint32_t i);
	bool of_samples; /* in a file of samples alone, too: whatever else it has */
} steps[] = {
	{SCP_REC_SOURCE_FUNCTION, load_source_function, true},
	{SCP_REC_SOURCE_LINE, load_source_line, true},
	{SCP_REC_GENERATED, load_generated, true},
	{SCP_REC_MODULE, load_module, true},
	{SCP_REC_FUNCTION, load_function, false},
	{SCP_REC_TABLE, load_table, false},
	{SCP_REC_ENTRY, load_entry, false},
	{SCP_REC_GAP, load_gap, false},
	{SCP_REC_SLOWEST, load_slow_call, false},
	{SCP_REC_LOOK, load_look, false},
	{SCP_REC_ACCOUNT, load_account, false},
	{SCP_REC_PATH_DIFFERENCE, load_path_difference, false},
	{SCP_REC_SAMPLE, load_sample, true},
	{SCP_REC_SAMPLING, load_sampling, true},
};

static int load_list(struct load *l, const struct step *s)
{
	for (uint32_t i = 0; i < l->raw->list[s->type].count; i++)
		if (s->load_one(l, i))
			return -1;
	return 0;
}

static int load_all(struct load *l, bool alone)
{
	const struct step processes = {SCP_REC_PROCESS, alone ? find_process : load_process_record,
				       true};
	bool merged = raw_header(l->raw)->flags & SCP_FILE_MERGED;

	if (make_maps(l) || (!alone && make_large_room(l)) ||
	    (alone || merged ? load_list(l, &processes) : load_header_process(l)))
		return -1;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if ((!alone || steps[i].of_samples) && load_list(l, &steps[i]))
			return -1;
	return 0;
}

static void add_overflow(struct load *l)
{
	for (uint32_t i = 0; i < l->raw->list[SCP_REC_FUNCTION].count; i++) {
		const struct scp_function *r = load_record(l, SCP_REC_FUNCTION, i);
		struct prof_function *f = &l->p->function[l->map[SCP_REC_FUNCTION][i]];

		f->group |= r->group;
		PROF_ADD(f, r, overflow_calls, overflow_units, overflow_bytes);
	}
}

int load_raw(struct profile *p, const struct raw_file *raw)
{
	struct load l = {.p = p, .raw = raw};

	for (uint32_t i = 0; i < p->processes; i++)
		l.runs = p->process[i].run > l.runs ? p->process[i].run : l.runs;
	bool alone = raw_header(raw)->flags & SCP_FILE_SAMPLES;
	int result = load_all(&l, alone);

	if (result == 0) {
		if (!alone)
			add_overflow(&l);
		p->losses.modules_lost += l.modules_lost;
		p->torn_entries += l.torn;
	}
	for (uint32_t type = 0; type < RAW_TYPES; type++)
		free(l.map[type]);
	free(l.module);
	return result;
}
