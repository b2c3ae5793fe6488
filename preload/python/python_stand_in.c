// SPDX-License-Identifier: Apache-2.0
/* No interpreter is known. */
#include "preload/python/python.h"

enum python_kind python_kind_of(uint64_t pc)
{
	(void)pc;
	return PYTHON_NONE;
}

bool python_is_there(void)
{
	return false;
}

bool python_read(struct scp_thread *t, uint32_t depth)
{
	(void)t, (void)depth;
	return false;
}

void python_forget(void)
{
}

void python_put_back(void)
{
}
