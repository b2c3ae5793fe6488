// SPDX-License-Identifier: GPL-3.0-or-later
/* A function to choose, and a constructor that is heard whenever the program begins. */
#include <string.h>
#include <unistd.h>

void chosen_once(void);

__attribute__((constructor)) static void begin(void)
{
	if (write(1, "begun\n", 6) != 6)
		_exit(99);
}

void chosen_once(void)
{
}
