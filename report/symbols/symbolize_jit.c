// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/proc_maps.h"
#include "report/symbols/generated.h"
#include "report/wording/utf8.h"

#define PROCESSES 32u /* whose /proc is asked: hundreds that have ended would only cost time */

struct map {
	char path[PATH_MAX]; /* "": the profile keeps it */
	char *text;
	struct code_map code;
	uint32_t pid;
	bool refused;
};

void symbolize_jit_clear(struct jit *j)
{
	for (uint32_t i = 0; i < j->maps; i++) {
		code_map_clear(&j->map[i].code);
		free(j->map[i].text);
	}
	free(j->map);
}

/* The line at `line`, which ends with a NUL. A line that is none is passed over. */
static void add_line(struct map *m, struct symbolize_files *files, char *line)
{
	struct code_piece piece = {0};
	char *end;

	piece.start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return;
	line = end + 1;
	uint64_t size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1])
		return;
	piece.end = piece.start + size;
	piece.name = end + 1;
	code_map_add(&m->code, files, &piece);
}

static void read_lines(struct map *m, struct symbolize_files *files)
{
	char *next;

	for (char *line = m->text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_line(m, files, line);
	}
	code_map_divide(&m->code, files, true);
}

/* True: there is one, which was read or refused. */
static bool try_file(struct jit *j, uint32_t process, bool dump, const char *path)
{
	const struct prof_process *p = &j->profile->process[process];
	struct map *m = ARRAY_APPEND(j->map, j->maps);
	enum symbolize_map found = SYMBOLIZE_MAP_NONE;
	uint64_t bytes;

	if (!m)
		return false;
	m->pid = p->pid;
	snprintf(m->path, sizeof(m->path), "%s", path);
	found = symbolize_open_read_map(j->files, path, p->owner, p->start_real_ns, &m->text,
					&bytes);
	if (found == SYMBOLIZE_MAP_NONE) {
		j->maps--;
		return false;
	}
	m->refused = found == SYMBOLIZE_MAP_REFUSED;
	j->refused += m->refused;
	if (m->refused)
		return true;
	if (!dump)
		read_lines(m, j->files);
	else if (jitdump_read(&m->code, j->files, m->text, bytes))
		code_map_divide(&m->code, j->files, false);
	return true;
}

/* perf's own mark: the maker of a dump maps its first page. */
static bool find_mapped_dump(uint32_t pid, uint32_t inside, char *path, size_t size)
{
	char name[64];
	struct proc_mapping m;
	FILE *maps = proc_maps_open((pid_t)pid);
	bool found = false;

	snprintf(name, sizeof(name), "jit-%u.dump", inside);
	while (maps && !found && proc_maps_next(maps, &m))
		found = *m.path == '/' && !m.deleted && !strcmp(base_name(m.path), name) &&
			(size_t)snprintf(path, size, "/proc/%u/root%s", pid, m.path) < size;
	if (maps)
		fclose(maps);
	return found;
}

/* As the process sees it. */
static bool try_inside(struct jit *j, uint32_t process, bool dump)
{
	const struct prof_process *p = &j->profile->process[process];
	uint32_t pid = symbolize_pid(p);
	char path[PATH_MAX];

	if (process >= PROCESSES)
		return false;
	if (dump && find_mapped_dump(pid, p->pid, path, sizeof(path)) &&
	    try_file(j, process, dump, path))
		return true;
	snprintf(path, sizeof(path),
		 dump ? "/proc/%u/root/tmp/jit-%u.dump" : "/proc/%u/root/tmp/perf-%u.map", pid,
		 p->pid);
	return try_file(j, process, dump, path);
}

/* Of a process that was attached to it is known who it is: another may have its number here. */
static void try_files(struct jit *j, uint32_t process, bool dump)
{
	const struct prof_process *p = &j->profile->process[process];
	char path[64];

	if (p->attached.pid && try_inside(j, process, dump))
		return;
	snprintf(path, sizeof(path), dump ? "/tmp/jit-%u.dump" : "/tmp/perf-%u.map", p->pid);
	if (try_file(j, process, dump, path) ||
	    (dump && try_file(j, process, dump, path + strlen("/tmp/"))) || p->attached.pid)
		return;
	try_inside(j, process, dump);
}

ARRAY_COMPARE(compare_kept, struct prof_generated *,
	      ARRAY_ORDER((*a)->pid, (*b)->pid) ?: ARRAY_ORDER(*a, *b))

/* All that the profile keeps, a map for each process: of some nothing else is known, where many
 * processes are one. */
static void take_kept(struct jit *j, const struct prof_generated **kept, uint32_t count)
{
	struct map *m = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct prof_generated *g = kept[i];
		struct code_piece piece = {
			.start = g->start, .end = g->start + g->bytes, .name = g->name};

		if (m && m->pid != g->pid)
			code_map_divide(&m->code, j->files, true);
		if (!m || m->pid != g->pid) {
			m = ARRAY_APPEND(j->map, j->maps);
			if (!m)
				return;
			m->pid = g->pid;
		}
		code_map_add(&m->code, j->files, &piece);
	}
	if (m)
		code_map_divide(&m->code, j->files, true);
}

static bool is_kept(const struct jit *j, uint32_t maps, uint32_t pid)
{
	size_t low;

	BISECT(low, maps, j->map[low].pid < pid);
	return low < maps && j->map[low].pid == pid;
}

static void read_maps(struct jit *j)
{
	const struct profile *p = j->profile;
	const struct prof_generated **kept = malloc((p->generateds + (size_t)1) * sizeof(*kept));

	j->read = true;
	for (uint32_t i = 0; kept && i < p->generateds; i++)
		kept[i] = &p->generated[i];
	if (kept && symbolize_open_spend(j->files, p->generateds * sizeof(*kept))) {
		ARRAY_SORT(kept, p->generateds, compare_kept);
		take_kept(j, kept, p->generateds);
	}
	free(kept);
	uint32_t maps = j->maps;
	for (uint32_t i = 0; i < p->processes; i++) {
		if (is_kept(j, maps, p->process[i].pid))
			continue;
		try_files(j, i, true);
		try_files(j, i, false);
	}
}

static struct jit_name look_in(const struct map *m, uint64_t address)
{
	struct code_answer a = code_map_find(&m->code, address);
	struct jit_name n = {.ambiguous = a.ambiguous};

	if (!a.piece)
		return n;
	n.name = a.piece->name;
	n.map = *m->path ? m->path : NULL;
	n.start = a.piece->start;
	n.bytes = a.piece->end - a.piece->start;
	n.pid = m->pid;
	return n;
}

/* A process's dump comes before its map, and knows more. */
struct jit_name symbolize_jit_look_up(struct jit *j, uint64_t address)
{
	struct jit_name found = {0};
	if (!j->read)
		read_maps(j);
	if (!symbolize_open_step(j->files, j->maps))
		return found;
	for (uint32_t i = 0; i < j->maps; i++) {
		struct jit_name here = look_in(&j->map[i], address);

		if (here.ambiguous)
			return (struct jit_name){.ambiguous = true};
		if (!here.name || (found.name && found.pid == here.pid))
			continue;
		if (found.name && strcmp(found.name, here.name) != 0)
			return (struct jit_name){.ambiguous = true};
		found = here;
	}
	return found;
}

const char *symbolize_jit_refused(struct jit *j)
{
	for (uint32_t i = 0; j->refused && i < j->maps; i++)
		if (j->map[i].refused) {
			j->map[i].refused = false;
			j->refused--;
			return j->map[i].path;
		}
	return NULL;
}

enum { CODE_LOAD = 0, CODE_CLOSE = 3 };

#define MAGIC	  0x4a695444u
#define NAME_MOST 4096u

struct header {
	uint32_t magic, version, bytes, machine, reserved, pid;
	uint64_t at_ns, flags;
};

/* What a record begins with. */
struct record {
	uint32_t type, bytes;
	uint64_t at_ns;
};

/* The name follows. */
struct load {
	struct record head;
	uint32_t pid, tid;
	uint64_t mapped, address, bytes, number;
};

/* Records may lie at any address. */
static void add_load(struct code_map *m, struct symbolize_files *files, const char *at,
		     const struct record *r)
{
	struct load load;
	const char *name = at + sizeof(load);
	struct code_piece piece = {.name = name};
	uint64_t most = r->bytes > sizeof(load) ? r->bytes - sizeof(load) : 0;

	if (!most || !*name || !memchr(name, '\0', most < NAME_MOST ? most : NAME_MOST))
		return;
	memcpy(&load, at, sizeof(load));
	piece.start = load.address;
	piece.end = load.address + load.bytes;
	code_map_add(m, files, &piece);
}

/* Records up to the first that the file does not hold as a whole. */
static bool next_record(const char *end, const char *at, struct record *r)
{
	if ((uint64_t)(end - at) < sizeof(*r))
		return false;
	memcpy(r, at, sizeof(*r));
	return r->bytes >= sizeof(*r) && r->bytes <= (uint64_t)(end - at);
}

bool jitdump_read(struct code_map *m, struct symbolize_files *files, const char *text,
		  uint64_t bytes)
{
	struct header h;
	struct record r;

	if (bytes < sizeof(h))
		return false;
	memcpy(&h, text, sizeof(h));
	if (h.magic != MAGIC || h.bytes < sizeof(h) || h.bytes > bytes)
		return false;
	for (const char *at = text + h.bytes; next_record(text + bytes, at, &r); at += r.bytes) {
		if (r.type == CODE_CLOSE || m->failed)
			break;
		if (r.type == CODE_LOAD)
			add_load(m, files, at, &r);
	}
	return true;
}
