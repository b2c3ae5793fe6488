// SPDX-License-Identifier: GPL-3.0-or-later
/* Doubling, so that growing costs little. */
#include "report/containers/growable_array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024u

bool growable_array_make(void **array, uint32_t *room, uint32_t number, size_t size,
			 unsigned char fill)
{
	uint64_t more = number < FIRST_ROOM / 2 ? FIRST_ROOM : 2 * (uint64_t)number;
	char *grown;

	if (number < *room)
		return true;
	if (number == UINT32_MAX)
		return false;
	if (more > UINT32_MAX)
		more = UINT32_MAX;
	grown = realloc(*array, more * size);
	if (!grown)
		return false;
	memset(grown + *room * size, fill, (more - *room) * size);
	*array = grown;
	*room = (uint32_t)more;
	return true;
}
