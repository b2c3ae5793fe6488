// SPDX-License-Identifier: GPL-3.0-or-later
/* The handler moves what is in the folder to the one above, since only an empty group can be
 * removed, and lets the signal do what it would have done. It makes system calls only. */
#include "collector/displacement/fluid/fluid_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
#define ENDINGS (sizeof(ending) / sizeof(*ending))

/* Written while no handler is there. */
static struct {
	char folder[256], inside[256 + 8], above[256 + 16]; /* the folder; its tasks; those above */
	pid_t maker;
	bool handled[ENDINGS];
} guard;

/* All of the file. */
static size_t read_numbers(char *text, size_t size)
{
	int from = open(guard.inside, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	while (from >= 0 && length < size && (got = read(from, text + length, size - length)) > 0)
		length += (size_t)got;
	if (from >= 0)
		close(from);
	return length;
}

/* The kernel takes one number a write. A thread that just ends cannot be moved. How many were. */
static size_t move_out(void)
{
	static char text[32 * 1024];
	size_t length = read_numbers(text, sizeof(text)), begin = 0, moved = 0;
	int to = open(guard.above, O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; to >= 0 && i < length; i++)
		if (text[i] == '\n') {
			moved += write(to, text + begin, i - begin) > 0;
			begin = i + 1;
		}
	if (to >= 0)
		close(to);
	return moved;
}

int fluid_guard_remove(void)
{
	move_out();
	return rmdir(guard.folder);
}

/* A child that has not become the command yet has this handler, too, but does not own the group. */
static void remove_and_end(int number)
{
	if (getpid() == guard.maker)
		fluid_guard_remove();
	raise(number); /* the default is in force again, from the handler's end on */
}

void fluid_guard_begin(const char *folder)
{
	struct sigaction action = {.sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND};
	struct sigaction before;

	if (*guard.folder || strlen(folder) >= sizeof(guard.folder))
		return;
	strcpy(guard.folder, folder);
	snprintf(guard.inside, sizeof(guard.inside), "%s/tasks", folder);
	snprintf(guard.above, sizeof(guard.above), "%s/../tasks", folder);
	guard.maker = getpid();
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ENDINGS; i++)
		guard.handled[i] = !sigaction(ending[i], NULL, &before) &&
				   before.sa_handler == SIG_DFL &&
				   !sigaction(ending[i], &action, NULL);
}

void fluid_guard_end(const char *folder)
{
	if (!*folder || strcmp(guard.folder, folder) != 0)
		return;
	for (size_t i = 0; i < ENDINGS; i++)
		if (guard.handled[i])
			signal(ending[i], SIG_DFL);
	*guard.folder = '\0';
}
