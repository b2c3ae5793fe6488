// SPDX-License-Identifier: GPL-3.0-or-later
/* Reading hundreds of files with their paths takes a tenth of a second and more, so the agent's
 * lock is not held meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/serve/render/renderer.h"

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
	PROF_SET(f, from, device, inode, clock);
	s->owner = !s->files || s->owner == from->identity.uid ? from->identity.uid
							       : SNAPSHOT_NO_OWNER;
	s->files++;
	return 0;
}

static bool is_of(const struct source *o, const char *service)
{
	return o->service && o->fd >= 0 && (!service || !strcmp(o->service->name, service));
}

int snapshot_take(struct snapshot *s, struct agent *a, const char *service, uint32_t clock)
{
	int status = 0;

	*s = (struct snapshot){.most_bytes = a->limits.most_bytes, .owner = SNAPSHOT_NO_OWNER};
	pthread_mutex_lock(&a->lock);
	s->file = calloc((size_t)HASH_COUNT(a->sources) + 1, sizeof(*s->file));
	for (struct source *o = s->file ? a->sources : NULL; o && status == 0; o = o->hh.next)
		if (is_of(o, service))
			status = take(s, o);
	pthread_mutex_unlock(&a->lock);
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
	pthread_mutex_lock(&a->lock);
	HASH_FIND(hh, a->sources, path, strlen(path), listed);
	if (listed && source_is_finished(listed))
		clock = listed->clock;
	pthread_mutex_unlock(&a->lock);
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
	for (struct snapshot_file *f = s->file; f < s->file + s->files; f++) {
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

#define FILES_A_MESSAGE 253 /* SCM_MAX_FD of the kernel */

union descriptors {
	char bytes[CMSG_SPACE(FILES_A_MESSAGE * sizeof(int))];
	struct cmsghdr head;
};

static int send_files(int socket, const struct snapshot_file *file, size_t count)
{
	union descriptors space = {0};
	struct iovec data = {.iov_base = (void *)file, .iov_len = count * sizeof(*file)};
	struct msghdr m = {.msg_iov = &data,
			   .msg_iovlen = 1,
			   .msg_control = space.bytes,
			   .msg_controllen = CMSG_SPACE(count * sizeof(int))};

	space.head.cmsg_level = SOL_SOCKET;
	space.head.cmsg_type = SCM_RIGHTS;
	space.head.cmsg_len = CMSG_LEN(count * sizeof(int));
	for (size_t i = 0; i < count; i++)
		memcpy(CMSG_DATA(&space.head) + i * sizeof(int), &file[i].fd, sizeof(int));
	return sendmsg(socket, &m, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int renderer_wire_send(int socket, const struct snapshot *s)
{
	if (send(socket, s, sizeof(*s), MSG_NOSIGNAL) < 0)
		return -1;
	for (size_t at = 0, count; at < s->files; at += count) {
		count = s->files - at < FILES_A_MESSAGE ? s->files - at : FILES_A_MESSAGE;
		if (send_files(socket, s->file + at, count))
			return -1;
	}
	return 0;
}

/* -1: not between 1 and `most` files, each with its descriptor. */
static ssize_t receive_files(int socket, struct snapshot_file *file, size_t most)
{
	union descriptors space;
	struct iovec data = {.iov_base = file, .iov_len = most * sizeof(*file)};
	struct msghdr m = {.msg_iov = &data,
			   .msg_iovlen = 1,
			   .msg_control = space.bytes,
			   .msg_controllen = sizeof(space.bytes)};
	ssize_t bytes = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	size_t count = bytes > 0 ? (size_t)bytes / sizeof(*file) : 0;
	struct cmsghdr *head = count ? CMSG_FIRSTHDR(&m) : NULL;

	if (!head || m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    head->cmsg_len != CMSG_LEN(count * sizeof(int)))
		return -1;
	for (size_t i = 0; i < count; i++)
		memcpy(&file[i].fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
	return (ssize_t)count;
}

int renderer_wire_receive(int socket, struct snapshot *s)
{
	if (recv(socket, s, sizeof(*s), 0) != (ssize_t)sizeof(*s))
		return -1;
	size_t files = s->files;
	s->files = 0;
	s->file = calloc(files + 1, sizeof(*s->file));
	while (s->file && s->files < files) {
		ssize_t count = receive_files(socket, s->file + s->files, files - s->files);

		if (count < 0)
			return -1;
		s->files += (size_t)count;
	}
	return s->file ? 0 : -1;
}
