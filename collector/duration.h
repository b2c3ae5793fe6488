// SPDX-License-Identifier: GPL-3.0-or-later
/* Durations as people write them: "20us", "1ms", "0.5s". */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Digits, at most one point between digits, then ns, us, ms or s; nothing else, before or after,
 * and no unit left out. 0 and *ns, or -1 with errno: EINVAL not such a text; ERANGE too large for
 * 64 bits, or not a whole number of nanoseconds. *ns is untouched on failure. */
int duration_parse(const char *text, uint64_t *ns);

/* `ns` exactly, in the largest unit that needs no fraction ("1500us"):
 * duration_parse reads it back. */
void duration_print_exact(uint64_t ns, char *text, size_t size);

/* `ns` for people, three significant digits: "23.4 ns", "4 ms"; "-" if NAN. */
void duration_print(double ns, char *text, size_t size);
