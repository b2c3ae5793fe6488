// SPDX-License-Identifier: GPL-3.0-or-later
/* A library whose constructor waits. */
#include <unistd.h>

__attribute__((constructor)) static void wait_here(void)
{
	pause();
}
