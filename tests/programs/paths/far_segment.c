// SPDX-License-Identifier: GPL-3.0-or-later
/* Some of the code lies in a segment of its own, far from the others (the linker is told so): the
 * loader covers such a program piece by piece. Writes a byte from there, and one from here. */
#include <unistd.h>

static volatile int depth = 1;

__attribute__((section(".far"), noinline)) static long far_away(const char *text)
{
	long n = write(1, text, 1);

	return n + depth;
}

__attribute__((noinline)) static long near_by(const char *text)
{
	long n = far_away(text);

	return n + write(1, text, 1) + depth;
}

int main(void)
{
	return near_by("x") == 4 ? 0 : 1;
}
