// SPDX-License-Identifier: Apache-2.0
/* Pages are asked about one by one; of a thread's own stack all is known. */
#include "preload/python/python_code.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define PAGE	   UINT64_C(4096)
#define PAGES	   (sizeof((struct python_rows *)0)->page / 8)
#define BYTES_MOST (UINT64_C(1) << 20)

static COLD bool ask(uint64_t *known, uint64_t page)
{
	if (sys_sandboxed || !page || !sys_can_read(page))
		return false;
	*known = page;
	return true;
}

bool python_can_read(struct scp_thread *t, uint64_t address, uint64_t bytes)
{
	uint64_t last = address + bytes - 1;
	if (stack_holds(address) && stack_holds(last))
		return true;
	if (!bytes || bytes > BYTES_MOST || last < address)
		return false;
	for (uint64_t page = address & ~(PAGE - 1); page <= last; page += PAGE) {
		uint64_t *known = &t->python_rows.page[page / PAGE % PAGES];
		if (unlikely(*known != page || !page) && !ask(known, page))
			return false;
	}
	return true;
}
