// SPDX-License-Identifier: GPL-3.0-or-later
/* The first message has the number of files, the next ones have the files with their descriptors.
 */
#include "report/serve/render/renderer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
	size_t files;

	if (recv(socket, s, sizeof(*s), 0) != (ssize_t)sizeof(*s))
		return -1;
	files = s->files;
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
