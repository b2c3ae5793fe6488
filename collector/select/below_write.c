// SPDX-License-Identifier: GPL-3.0-or-later
/* The places of --below as libscprof.so maps them. */
#include "collector/select/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"

static size_t texts_bytes(const struct below *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->objects; i++)
		bytes += strlen(b->object[i].path) + 1;
	return bytes + (b->names ? strlen(b->names) : 0) + 1; /* it ends in a NUL */
}

static void fill(const struct below *b, uint8_t *image, size_t ranges, size_t bytes)
{
	struct scp_below_file *head = (void *)image;
	struct scp_below_object *o = (void *)(head + 1);
	struct scp_below_range *r = (void *)(o + b->objects);
	char *text = (char *)(r + ranges);

	memcpy(head->magic, SCP_BELOW_MAGIC, sizeof(head->magic));
	head->bytes = bytes;
	head->objects = (uint32_t)b->objects;
	head->ranges = (uint32_t)ranges;
	for (size_t i = 0, first = 0; i < b->objects; i++, o++) {
		const struct below_object *from = &b->object[i];

		memcpy(o->build_id, from->build_id, sizeof(o->build_id));
		o->build_id_bytes = from->build_id_bytes;
		o->first = (uint32_t)first;
		o->count = (uint32_t)from->ranges;
		o->path = (uint32_t)(text - (char *)image);
		memcpy(r + first, from->range, from->ranges * sizeof(*r));
		first += from->ranges;
		text = stpcpy(text, from->path) + 1;
	}
	if (b->names) {
		head->names = (uint32_t)(text - (char *)image);
		strcpy(text, b->names);
	}
}

static int save(const char *path, const uint8_t *image, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t at = 0;

	if (fd < 0)
		return -1;
	int failed = fchmod(fd, 0644); /* programs that drop their privileges still read it */
	while (!failed && at < bytes) {
		ssize_t n = write(fd, image + at, bytes - at);

		if (n < 0 && errno != EINTR)
			failed = -1;
		at += n > 0 ? (size_t)n : 0;
	}
	int error = errno;
	close(fd);
	if (failed)
		unlink(path);
	errno = error;
	return failed;
}

int below_write(const struct below *b, const char *path, struct profile_error *err)
{
	size_t ranges = 0;

	for (size_t i = 0; i < b->objects; i++)
		ranges += b->object[i].ranges;
	size_t bytes = sizeof(struct scp_below_file) +
		       b->objects * sizeof(struct scp_below_object) +
		       ranges * sizeof(struct scp_below_range) + texts_bytes(b);
	uint8_t *image = calloc(1, bytes);
	errno = ENOMEM;
	if (image)
		fill(b, image, ranges, bytes);
	int failed = image ? save(path, image, bytes) : -1;
	if (failed)
		error_set(err, "--below: cannot write %.300s: %s", path, strerror(errno));
	free(image);
	return failed;
}
