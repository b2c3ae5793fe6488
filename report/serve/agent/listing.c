// SPDX-License-Identifier: GPL-3.0-or-later
/* A directory may hold a hundred thousand files: the time to look through it is limited. What is
 * known of a file stays as long as the file does. */
#include "report/serve/agent/agent.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"
#include "report/serve/monotonic.h"

#define MOST_NAMES 200000 /* looked at */
#define SPARING	   100	  /* of the time, at most one part in so many is spent looking */

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->files; i++)
		free(l->file[i].path);
	free(l->file);
	*l = (struct listing){0};
}

const struct listed *listing_find(const struct listing *l, const char *path)
{
	for (size_t i = 0; i < l->files; i++)
		if (!strcmp(l->file[i].path, path))
			return &l->file[i];
	return NULL;
}

/* When the process began, or (not read yet) when the file was written last. */
static uint64_t age_of(const struct listed *f)
{
	return f->state == LISTED_READ && f->start_real_ns ? f->start_real_ns : f->modified_ns;
}

static int by_age(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (age_of(a) != age_of(b))
		return age_of(a) > age_of(b) ? -1 : 1;
	return strcmp(a->path, b->path);
}

static int by_change(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (a->modified_ns != b->modified_ns)
		return a->modified_ns > b->modified_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* The newest half stays. */
static void cut(struct listing *l)
{
	if (l->files > LISTING_MOST)
		qsort(l->file, l->files, sizeof(*l->file), by_change);
	while (l->files > LISTING_MOST) {
		free(l->file[--l->files].path);
		l->beyond++;
	}
}

static bool is_profile(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && *name != '.' && !strcmp(name + length - 4, ".scp");
}

static void add_file(struct listing *l, int directory, const char *path, const char *name)
{
	struct listed f = {0};
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return;
	f.device = st.st_dev;
	f.inode = st.st_ino;
	f.bytes = (uint64_t)st.st_size;
	f.modified_ns = nanoseconds(&st.st_mtim);
	if (asprintf(&f.path, "%s/%s", path, name) < 0)
		return;
	l->file[l->files++] = f;
	if (l->files == 2 * (size_t)LISTING_MOST)
		cut(l);
}

static void add_directory(struct listing *l, struct agent *a, const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	size_t names = 0;

	while (directory && !atomic_load(&a->stopping) && names++ < MOST_NAMES &&
	       (entry = readdir(directory)))
		if (is_profile(entry->d_name))
			add_file(l, dirfd(directory), path, entry->d_name);
	if (directory)
		closedir(directory);
}

static bool is_same(const struct listed *a, const struct listed *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
	       a->modified_ns == b->modified_ns && !strcmp(a->path, b->path);
}

/* What was known of its files stays known. */
static void remember(struct listing *now, const struct listing *before)
{
	for (size_t i = 0; i < now->files; i++)
		for (size_t k = 0; k < before->files; k++)
			if (is_same(&now->file[i], &before->file[k])) {
				char *path = now->file[i].path;

				now->file[i] = before->file[k];
				now->file[i].path = path;
				break;
			}
}

/* The program that made most of the calls. */
static void describe(struct listed *f, const struct profile *p)
{
	uint64_t *calls = calloc((size_t)p->processes + 1, sizeof(*calls));
	uint32_t first = 0, most = 0;

	for (uint32_t i = 0; calls && i < p->entries; i++)
		calls[p->table[p->entry[i].table].process] += p->entry[i].sums.calls;
	for (uint32_t i = 0; calls && i < p->processes; i++) {
		f->processes += p->process[i].count;
		f->calls += calls[i];
		if (calls[i] > calls[most])
			most = i;
		if (p->process[i].start_real_ns < p->process[first].start_real_ns)
			first = i;
	}
	for (uint32_t i = 0; i < p->functions; i++)
		f->calls += p->function[i].overflow_calls;
	label_clean(f->program, p->process[most].program);
	f->pid = p->process[first].pid;
	f->ended = report_names_end(&p->process[first]);
	f->start_real_ns = p->process[first].start_real_ns;
	f->clock = p->clock.kind;
	f->state = LISTED_READ;
	free(calls);
}

/* The profile of a process that lives waits until it has ended. */
static void read_file(struct listed *f, const struct source_limits *limits)
{
	struct source s = {.fd = -1};
	struct profile *p = NULL;
	enum source_fault fault = SOURCE_FAULT_OPEN;

	f->state = LISTED_REFUSED;
	if (source_open(&s, AT_FDCWD, f->path, limits, &fault) == 0) {
		f->uid = s.identity.uid;
		source_look(&s);
		f->live = s.alive;
		fault = SOURCE_FAULT_CONTENT;
		if (s.alive)
			f->state = LISTED_WAITS;
		else
			p = source_load(&s, limits, &fault);
		if (p && p->processes)
			describe(f, p);
	}
	f->fault = fault;
	profile_free(p);
	source_release(&s);
}

/* Users have the time that shares.c gives them. */
static void read_files(struct agent *a, struct listing *l)
{
	const uint64_t end_ns = monotonic_now_ns() + LISTING_ROUND_NS;

	for (size_t i = 0; i < l->files && !atomic_load(&a->stopping); i++) {
		struct listed *f = &l->file[i];
		uint64_t began_ns = monotonic_now_ns(), now_ns;
		struct stat st;
		bool may;

		if (f->state != LISTED_WAITS || began_ns > end_ns ||
		    lstat(f->path, &st)) /* it has gone: the next look notices */
			continue;
		agent_lock(a);
		may = shares_has_time(a->shares, st.st_uid, began_ns);
		agent_unlock(a);
		if (!may)
			continue;
		read_file(f, &a->limits);
		now_ns = monotonic_now_ns();
		agent_lock(a);
		shares_spend(&a->shares, st.st_uid, now_ns, now_ns - began_ns);
		agent_unlock(a);
	}
}

/* The files that are there now, as far as they are known. */
static void look(struct agent *a, struct listing *now)
{
	*now = (struct listing){.looked_ns = monotonic_now_ns()};
	now->file = calloc(2 * (size_t)LISTING_MOST, sizeof(*now->file));
	for (size_t i = 0; now->file && i < a->options.directories; i++)
		add_directory(now, a, a->options.directory[i]);
	cut(now);
	remember(now, &a->listing);
	qsort(now->file, now->files, sizeof(*now->file), by_change);
	now->took_ns = monotonic_now_ns() - now->looked_ns;
}

void listing_scan(struct agent *a)
{
	const struct listing *before = &a->listing;
	struct listing now, old;

	if (before->looked_ns &&
	    monotonic_now_ns() - before->looked_ns <= SPARING * before->took_ns)
		return;
	look(a, &now);
	read_files(a, &now);
	if (now.files)
		qsort(now.file, now.files, sizeof(*now.file), by_age);
	agent_lock(a);
	old = a->listing;
	a->listing = now;
	agent_unlock(a);
	listing_free(&old);
}
