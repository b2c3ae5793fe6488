// SPDX-License-Identifier: GPL-3.0-or-later
/* Address spaces as the kernel's records tell of them; objects are read when a sample asks for
 * them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/kernel_file.h"
#include "profile/base/proc_maps.h"
#include "collector/sample/sample_private.h"
#include "profile/base/array.h"
#include "profile/base/given_file.h"

#define MOST_MAPS  8192u
#define MOST_LIVES (1u << 20) /* 100 MB: what begins after so many is left out */
#define MOST_LINES 65536u     /* of /proc/PID/maps */
#define READ_SHARE 100u	      /* which, and parents, are read in at most such a part of the time */
#define ANCESTORS  16
#define PURGE_NS   UINT64_C(1000000000)

static void forget_objects(struct sample_life *l)
{
	free(l->objects.object); /* their tables are the images' */
	PROF_FREE(l, image, rows);
	l->objects = (struct safe_point_objects){0};
}

uint32_t space_find(const struct sample_spaces *s, pid_t pid)
{
	for (uint32_t i = s->live_count; i-- > 0;)
		if (s->life[s->live[i]].pid == pid)
			return s->live[i];
	return SAMPLE_NONE;
}

/* As it has it itself. */
static pid_t inner_pid(struct sample_life *l)
{
	l->inner_pid = l->inner_pid ?: proc_inner_pid(l->pid) ?: l->pid;
	return l->inner_pid;
}

uint32_t space_find_inner(const struct sample_spaces *s, pid_t pid)
{
	for (uint32_t i = s->live_count; i-- > 0;)
		if (inner_pid(&s->life[s->live[i]]) == pid)
			return s->live[i];
	return SAMPLE_NONE;
}

/* Nothing of it is needed but its place among the lives. */
static void drop_live(struct sample_spaces *s, uint32_t at)
{
	struct sample_life *l = &s->life[s->live[at]];

	forget_objects(l);
	python_free(l->python);
	l->python = NULL;
	PROF_FREE(l, map);
	l->maps = 0;
	s->live_count--;
	memmove(&s->live[at], &s->live[at + 1], (s->live_count - at) * sizeof(*s->live));
}

void space_end(struct sample_spaces *s, pid_t pid, uint64_t at_ns)
{
	uint32_t life = space_find(s, pid);

	if (life != SAMPLE_NONE && !s->life[life].to_ns)
		s->life[life].to_ns = at_ns ? at_ns : 1;
}

/* A process goes on in its other threads where its first one has ended. */
void space_purge(struct sample_spaces *s, uint64_t now_ns)
{
	for (uint32_t i = s->live_count; i-- > 0;) {
		struct sample_life *l = &s->life[s->live[i]];

		if (!l->to_ns || l->to_ns + PURGE_NS >= now_ns)
			continue;
		if (kill(l->pid, 0) && errno == ESRCH)
			drop_live(s, i);
		else
			l->to_ns = now_ns;
	}
}

/* The number means another process from now on. */
static void drop_pid(struct sample_spaces *s, pid_t pid, uint64_t at_ns)
{
	space_end(s, pid, at_ns);
	for (uint32_t i = s->live_count; i-- > 0;)
		if (s->life[s->live[i]].pid == pid)
			drop_live(s, i);
}

/* With the maps of `before` where it is `forked`. */
static bool begin(struct sample_spaces *s, struct sample_life life, bool forked)
{
	if (s->lives == MOST_LIVES)
		return false;
	if (forked) {
		const struct sample_life *from = &s->life[life.before];

		life.map = calloc(from->maps + 1, sizeof(*life.map));
		life.maps = life.map_room = life.map ? from->maps : 0;
		if (life.map && from->maps)
			memcpy(life.map, from->map, from->maps * sizeof(*life.map));
	}
	drop_pid(s, life.pid, life.from_ns);
	if (ARRAY_PUT(s->life, s->lives, life) && ARRAY_PUT(s->live, s->live_count, s->lives - 1))
		return true;
	free(life.map);
	return false;
}

void space_fork(struct sample_spaces *s, pid_t parent, pid_t pid, uint64_t at_ns)
{
	uint32_t from = space_find(s, parent);

	if (from == SAMPLE_NONE && parent != pid)
		drop_pid(s, pid, at_ns);
	else if (parent != pid)
		begin(s,
		      (struct sample_life){.pid = pid,
					   .before = from,
					   .from_ns = at_ns,
					   .counts = s->life[from].counts,
					   .records = s->life[from].records,
					   .doubted = s->life[from].doubted},
		      true);
}

void space_exec(struct sample_spaces *s, pid_t pid, uint64_t at_ns)
{
	uint32_t from = space_find(s, pid);

	if (from != SAMPLE_NONE)
		begin(s,
		      (struct sample_life){
			      .pid = pid, .before = from, .from_ns = at_ns, .counts = true},
		      false);
}

/* What lay there before is gone. Maps stay in the order of their addresses. */
static void put_map(struct sample_life *l, const struct sample_map *m)
{
	struct sample_map *grown = array_room(l->map, &l->map_room, l->maps, sizeof(*grown));
	uint32_t at = 0, behind;

	if (!grown || l->maps == MOST_MAPS)
		return;
	l->map = grown;
	while (at < l->maps && l->map[at].start < m->start)
		at++;
	if (at && l->map[at - 1].end > m->start)
		l->map[at - 1].end = m->start;
	for (behind = at; behind < l->maps && l->map[behind].start < m->end;)
		behind++;
	memmove(&l->map[at + 1], &l->map[behind], (l->maps - behind) * sizeof(*l->map));
	l->map[at] = *m;
	l->maps += at + 1 - behind;
	forget_objects(l);
}

void space_map(struct sample_spaces *s, pid_t pid, const struct sample_map *at, const char *path,
	       const uint64_t file[2])
{
	uint32_t life = space_find(s, pid);
	struct sample_map m = *at;

	if (life == SAMPLE_NONE || m.end <= m.start)
		return;
	m.image = image_find(&s->images, path, file[0], file[1], pid);
	put_map(&s->life[life], &m);
}

/* What a process has mapped now, instead of what was known. False: it cannot be read. */
static bool read_maps(struct sample_spaces *s, struct sample_life *l)
{
	FILE *maps = proc_maps_open(l->pid);
	unsigned lines = 0;
	struct proc_mapping m;

	forget_objects(l);
	l->maps = 0;
	while (maps && lines < MOST_LINES && proc_maps_next(maps, &m)) {
		lines++;
		if (!m.executable)
			continue;
		const struct sample_map at = {
			m.start, m.end, m.offset,
			image_find(&s->images, proc_maps_own_path(l->pid, m.path),
				   makedev(m.major, m.minor), m.inode, l->pid)};

		put_map(l, &at);
	}
	if (maps)
		fclose(maps);
	return lines;
}

bool space_add(struct sample_spaces *s, pid_t pid, bool counts, uint64_t now_ns)
{
	if (!begin(s,
		   (struct sample_life){
			   .pid = pid, .before = SAMPLE_NONE, .from_ns = now_ns, .counts = counts},
		   false))
		return false;
	if (counts)
		read_maps(s, &s->life[s->lives - 1]);
	return true;
}

/* The program that it executes is not ours. */
static bool executes_another(pid_t pid)
{
	struct stat own, other;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return !stat("/proc/self/exe", &own) && !stat(path, &other) &&
	       (own.st_dev != other.st_dev || own.st_ino != other.st_ino);
}

void space_catch_up(struct sample_spaces *s)
{
	uint32_t becomes = SAMPLE_NONE;

	s->lossy = true;
	for (uint32_t i = 0; i < s->live_count; i++) {
		struct sample_life *l = &s->life[s->live[i]];

		l->doubted = true;
		if (!l->counts && !l->to_ns && executes_another(l->pid))
			becomes = s->live[i];
	}
	if (becomes != SAMPLE_NONE)
		space_add(s, s->life[becomes].pid, true, s->life[becomes].from_ns);
}

uint32_t space_adopt(struct sample_spaces *s, pid_t pid)
{
	pid_t *stranger = &s->stranger[(unsigned)pid % SAMPLE_STRANGERS];
	uint32_t before = SAMPLE_NONE;
	uint64_t up = (uint64_t)pid;

	if (!s->lossy || *stranger == pid)
		return SAMPLE_NONE;
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	if (now < s->asked_ns)
		return SAMPLE_NONE;
	for (int i = 0; i < ANCESTORS && up > 1 && before == SAMPLE_NONE; i++) {
		up = proc_status_number((pid_t)up, "PPid", 10, 0);
		before = space_find(s, (pid_t)up);
	}
	s->asked_ns = now + READ_SHARE * (clocks_read_ns(CLOCK_MONOTONIC_RAW) - now);
	if (before == SAMPLE_NONE || !s->life[before].counts ||
	    !space_add(s, pid, true, s->life[before].from_ns)) {
		*stranger = pid;
		return SAMPLE_NONE;
	}
	s->life[s->lives - 1].before = before;
	return s->lives - 1;
}

/* Maps that are in doubt, once it is time. False: they stay so. */
static bool renew(struct sample_spaces *s, struct sample_life *l)
{
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	if (now < l->renewed_ns)
		return false;
	python_free(l->python);
	l->python = NULL;
	l->doubted = !read_maps(s, l);
	uint64_t then = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	l->renewed_ns = then + READ_SHARE * (then - now);
	return !l->doubted;
}

/* Where the file's code lies in memory, less where it is in the file's addresses. */
static bool find_bias(const struct sample_image *i, const struct sample_map *m, uint64_t *bias)
{
	for (size_t k = 0; k < i->segments; k++) {
		uint64_t first = i->segment[k].offset & ~UINT64_C(4095);

		if (!i->segment[k].code || m->offset < first ||
		    m->offset >= i->segment[k].offset + i->segment[k].bytes)
			continue;
		*bias = m->start - (i->segment[k].address + m->offset - i->segment[k].offset);
		return true;
	}
	return false;
}

static void add_object(struct sample_life *l, const struct sample_image *i,
		       const struct sample_map *m)
{
	struct safe_point_object *o = &l->objects.object[l->objects.count];
	uint64_t bias;

	if (!find_bias(i, m, &bias))
		return;
	if (!l->objects.count || o[-1].bias != bias || o[-1].base != bias + i->first) {
		*o = (struct safe_point_object){.kind = i->kind,
						.base = bias + i->first,
						.bias = bias,
						.end = bias + i->end,
						.frame = i->frame,
						.frames = i->frames,
						.frame_header = bias + i->frame_header};
		l->image[l->objects.count++] = m->image;
	} else {
		o--;
	}
	if (o->codes == SAFE_POINT_CODES)
		return;
	o->code[o->codes].start = m->start;
	o->code[o->codes++].end = m->end;
}

struct sample_life *space_read(struct sample_spaces *s, uint32_t life)
{
	struct sample_life *l = &s->life[life];

	if (l->doubted && !renew(s, l))
		return NULL;
	if (l->rows)
		return l;
	inner_pid(l);
	l->objects.object = calloc(l->maps + 1, sizeof(*l->objects.object));
	l->image = calloc(l->maps + 1, sizeof(*l->image));
	l->rows = frames_rows();
	if (!l->objects.object || !l->image || !l->rows) {
		forget_objects(l);
		return NULL;
	}
	l->objects.pid = l->pid;
	for (uint32_t i = 0; i < l->maps; i++)
		if (l->map[i].image != SAMPLE_NONE)
			add_object(l, &s->images.image[l->map[i].image], &l->map[i]);
	l->python = l->python ? l->python : python_open(&s->images, l);
	return l;
}

uint64_t space_charged_ns(const struct sample_spaces *s, bool user)
{
	const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < s->live_count; i++) {
		const struct sample_life *l = &s->life[s->live[i]];
		char text[PROC_STAT_BYTES];
		const char *state = l->counts ? proc_stat_read(l->pid, 0, text) : NULL;

		/* 14 user, 15 system; then the same of children */
		for (int field = 14; state && field <= 17; field += 1 + user)
			ticks += (uint64_t)proc_stat_number(state, field);
	}
	return tick_ns * ticks;
}

void space_free(struct sample_spaces *s)
{
	while (s->live_count)
		drop_live(s, s->live_count - 1);
	image_free(&s->images);
	PROF_FREE(s, life, live);
}
