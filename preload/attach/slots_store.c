// SPDX-License-Identifier: Apache-2.0
#include <sys/auxv.h>

#include "preload/attach/slots.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

static uint64_t page_bytes;
static uint64_t opened;	  /* a page that we made writable */
static int opened_was;	  /* its protection */
static uint64_t writable; /* a page that was so */

struct asked {
	uint64_t address;
	int protection;
};

static bool take_protection(const struct sys_mapping *m, void *context)
{
	struct asked *a = context;
	if (a->address < m->start || a->address >= m->end)
		return false;
	a->protection = m->protection;
	return true;
}

/* After relocation the loader makes these pages readable only; elsewhere the program did something,
 * and the kernel's list says what. */
static bool open_page(const struct slots_object *o, uint64_t page)
{
	bool is_relro = page >= o->relro && page < o->relro_end;
	struct asked a = {page, is_relro ? PROT_READ : -1}; /* -1: unknown */
	if (!is_relro)
		process_read_mappings(take_protection, &a);
	int was = a.protection;
	if (was < 0 || (was & (PROT_EXEC | PROT_WRITE)) || !(was & PROT_READ))
		return false;
	opened_was = was;
	__atomic_store_n(&opened, page, __ATOMIC_RELEASE); /* first: a fork may come between */
	if (sys3(SYS_mprotect, page, page_bytes, PROT_READ | PROT_WRITE) == 0)
		return true;
	opened = 0;
	return false;
}

void slots_store_close(void)
{
	if (opened)
		sys3(SYS_mprotect, opened, page_bytes, opened_was);
	opened = writable = 0;
}

static bool make_writable(const struct slots_object *o, uint64_t *word)
{
	page_bytes = getauxval(AT_PAGESZ);
	uint64_t page = (uint64_t)word & ~(page_bytes - 1);
	if (page == opened || page == writable)
		return true;
	slots_store_close();
	if (!slots_object_has(o, (uint64_t)word, 8, PF_W) ||
	    slots_object_has(o, (uint64_t)word, 8, PF_X))
		return false;
	if (!sys_can_write((uintptr_t)word))
		return open_page(o, page);
	writable = page;
	return true;
}

enum slots_stored slots_store_swap(const struct slots_object *o, uint64_t *word, uint64_t from,
				   uint64_t to)
{
	if (__atomic_load_n(word, __ATOMIC_RELAXED) != from)
		return SLOTS_CHANGED;
	if (!make_writable(o, word))
		return SLOTS_FAILED;
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED)
		       ? SLOTS_STORED
		       : SLOTS_CHANGED;
}
