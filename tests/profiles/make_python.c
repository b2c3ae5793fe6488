// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes the profiles of two processes of a Python service that call from the same lines: always
 * the same files (source_file.h says what is in them).
 * make_python OUT OUT2
 * Exit status 2: wrong usage.
 */
#include <stdio.h>

#include "tests/unit/support/source_file.h"

int main(int argc, char **argv)
{
	struct scp_build b;

	if (argc != 3) {
		fputs("usage: make_python OUT OUT2\n", stderr);
		return 2;
	}
	for (uint32_t process = 0; process < 2; process++) {
		source_file_make(&b, process);
		scp_build_save(&b, argv[1 + process]);
		scp_build_free(&b);
	}
	return 0;
}
