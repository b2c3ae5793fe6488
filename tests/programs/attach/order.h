// SPDX-License-Identifier: GPL-3.0-or-later
/* An order to record, as the tool gives it to a process that has opened libscprof.so. */
#ifndef TESTS_PROGRAMS_ATTACH_ORDER_H
#define TESTS_PROGRAMS_ATTACH_ORDER_H

#include <stdio.h>
#include <string.h>

#include "include/scprof_attach.h"

#define ORDER_TEXT_BYTES 4096

union order {
	struct scp_attach_order given;
	char room[sizeof(struct scp_attach_order) + ORDER_TEXT_BYTES];
};

static inline void order_begin(union order *o)
{
	memset(o, 0, sizeof(*o));
	memcpy(o->given.magic, SCP_ATTACH_MAGIC, sizeof(o->given.magic));
}

/* `name`: as of an environment variable, with '='; of a whole setting `value` is "". */
static inline void order_add(union order *o, const char *name, const char *value)
{
	uint32_t at = o->given.text_bytes;
	int n = snprintf(o->given.text + at, ORDER_TEXT_BYTES - at, "%s%s", name, value);

	o->given.text_bytes = at + (uint32_t)n + 1;
}

#endif
