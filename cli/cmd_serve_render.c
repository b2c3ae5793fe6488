// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof serve-render`: started by `scprof serve` for each page and pprof profile, not by people;
 * see serve/render/renderer.h. */
#include "cli/cmd.h"

#include <unistd.h>

#include "cli/messages/complaint.h"
#include "serve/render/renderer.h"

int cmd_serve_render(int argc, char **argv)
{
	(void)argv;
	if (argc != 1 || isatty(STDIN_FILENO)) {
		complaint_print("scprof serve-render",
				"this is started by `scprof serve`: use that");
		return 2;
	}
	return renderer_main();
}
