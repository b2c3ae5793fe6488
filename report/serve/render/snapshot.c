// SPDX-License-Identifier: GPL-3.0-or-later
/* Reading hundreds of files with their paths takes a tenth of a second and more, so the agent's
 * lock is not held meanwhile. */
#include "report/serve/render/rendering.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t most_frequent(const struct snapshot *s)
{
	size_t count[COUNTERS_CLOCKS] = {0};
	uint32_t most = SCP_CLOCK_NONE;

	for (size_t i = 0; i < s->files; i++)
		if (s->file[i].clock < COUNTERS_CLOCKS)
			count[s->file[i].clock]++;
	for (uint32_t k = 1; k < COUNTERS_CLOCKS; k++)
		if (count[k] > count[most])
			most = k;
	return most;
}

static int take(struct snapshot *s, const struct source *from)
{
	struct snapshot_file *f = &s->file[s->files];

	f->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 3);
	if (f->fd < 0)
		return EMFILE;
	f->device = from->device;
	f->inode = from->inode;
	f->clock = from->clock;
	s->files++;
	return 0;
}

static bool is_of(const struct source *o, const char *service)
{
	return o->service && o->fd >= 0 && (!service || !strcmp(o->service->name, service));
}

/* With the lock held. */
static uint32_t owner_of(const struct agent *a, const char *service)
{
	uint32_t owner = SNAPSHOT_NO_OWNER;

	for (const struct source *o = a->sources; o; o = o->hh.next) {
		if (!is_of(o, service))
			continue;
		if (owner != SNAPSHOT_NO_OWNER && owner != o->identity.uid)
			return SNAPSHOT_NO_OWNER;
		owner = o->identity.uid;
	}
	return owner;
}

int snapshot_take(struct snapshot *s, struct agent *a, const char *service, uint32_t clock)
{
	int status = 0;

	*s = (struct snapshot){.most_bytes = a->limits.most_bytes};
	agent_lock(a);
	s->file = calloc((size_t)HASH_COUNT(a->sources) + 1, sizeof(*s->file));
	for (struct source *o = s->file ? a->sources : NULL; o && status == 0; o = o->hh.next)
		if (is_of(o, service))
			status = take(s, o);
	s->owner = owner_of(a, service);
	agent_unlock(a);
	s->clock = clock ? clock : most_frequent(s);
	return s->file ? status : ENOMEM;
}

int snapshot_take_listed(struct snapshot *s, struct agent *a, const char *path)
{
	const struct source *listed;
	struct source one = {.fd = -1};
	enum source_fault fault;
	uint32_t clock = SCP_CLOCK_NONE;

	*s = (struct snapshot){.most_bytes = a->limits.most_bytes, .owner = SNAPSHOT_NO_OWNER};
	s->file = calloc(1, sizeof(*s->file));
	if (!s->file)
		return ENOMEM;
	agent_lock(a);
	HASH_FIND(hh, a->sources, path, strlen(path), listed);
	if (listed && source_is_finished(listed))
		clock = listed->clock;
	agent_unlock(a);
	if (!clock || source_open(&one, AT_FDCWD, path, &a->limits, &fault))
		return 0;
	s->file[0] = (struct snapshot_file){
		.fd = one.fd, .device = one.device, .inode = one.inode, .clock = clock};
	s->files = 1;
	s->clock = clock;
	s->owner = one.identity.uid;
	return 0;
}

void snapshot_free(struct snapshot *s)
{
	for (size_t i = 0; i < s->files; i++)
		close(s->file[i].fd);
	free(s->file);
	*s = (struct snapshot){0};
}

static bool load(struct snapshot *s, const struct snapshot_file *f, struct profile *p)
{
	struct profile_error err;
	struct stat st;

	if (fstat(f->fd, &st) || (uint64_t)st.st_size > s->most_bytes)
		return false;
	errno = 0;
	if (profile_add_open(p, f->fd, s->most_bytes, &err) == 0)
		return true;
	s->no_memory |= errno == ENOMEM;
	return false;
}

void snapshot_load(struct snapshot *s, struct profile *p,
		   bool (*accept)(const struct snapshot_file *f, const void *context),
		   const void *context)
{
	s->left_out = 0;
	for (size_t i = 0; i < s->files; i++) {
		struct snapshot_file *f = &s->file[i];

		if (accept && !accept(f, context))
			continue;
		f->loaded = f->clock == s->clock && load(s, f, p);
		s->left_out += !f->loaded;
	}
}

const struct snapshot_file *snapshot_find(const struct snapshot *s, const struct snapshot_file *f)
{
	for (size_t i = 0; i < s->files; i++)
		if (s->file[i].inode == f->inode && s->file[i].device == f->device)
			return &s->file[i];
	return NULL;
}
