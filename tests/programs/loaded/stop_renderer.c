// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded into `scprof serve`, and so into the processes that it starts to render: those stop
 * themselves as long as the file that STOP_RENDERER names is there. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void stop(int argc, char **argv)
{
	const char *file = getenv("STOP_RENDERER");

	if (argc == 2 && !strcmp(argv[1], "serve-render") && file && !access(file, F_OK))
		raise(SIGSTOP);
}
