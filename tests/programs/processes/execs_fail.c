// SPDX-License-Identifier: GPL-3.0-or-later
/* Three threads try to execute what is not there, and one opens and closes files: no descriptor is
 * lost, and none is left. ends: the process ends meanwhile. executes: another program. */
#include "target.h"

#include <poll.h>
#include <pthread.h>

static int count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int tries = 200;

static void *execute(void *unused)
{
	for (int i = 0; i < tries; i++)
		execl("/nonexistent", "x", (char *)NULL);
	return unused;
}

static void *open_and_close(void *unused)
{
	for (int i = 0; i < 3000; i++) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd < 0 || fcntl(fd, F_GETFD) < 0 || close(fd) != 0)
			die("a descriptor is lost");
	}
	return unused;
}

int main(int argc, char **argv)
{
	int before = count_descriptors();
	pthread_t thread[4];

	if (argc > 1)
		tries = 1000000;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, i < 3 ? execute : open_and_close, NULL) != 0)
			die("pthread_create");
	if (argc > 1) {
		poll(NULL, 0, 5);
		if (!strcmp(argv[1], "executes"))
			execl("/bin/true", "true", (char *)NULL);
		return 0;
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	say("%d descriptors are left\n", count_descriptors() - before);
	return 3;
}
