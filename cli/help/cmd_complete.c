// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof complete`: asked by the shells' completion, not by people; see complete.h. Whatever
 * is wrong, it says nothing: a person is typing. */
#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/help/complete.h"

int cmd_complete(int argc, char **argv)
{
	int index = argc > 1 && *argv[1] >= '0' && *argv[1] <= '9' ? atoi(argv[1]) : -1;

	if (index < 0 || index > argc - 2)
		return 2;
	complete_print(argv + 2, argc - 2, index);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
