// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/auxv.h>

#include "preload/attach/slots_private.h"
#include "preload/system/sys.h"

static uint64_t page_bytes;
static uint64_t opened;	  /* a page that we made writable */
static int opened_was;	  /* its protection */
static uint64_t writable; /* a page that was so */

static const char *take_hexadecimal(const char *at, uint64_t *value)
{
	for (*value = 0;; at++) {
		int v = *at >= '0' && *at <= '9'   ? *at - '0'
			: *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
						   : -1;
		if (v < 0)
			return at;
		*value = *value << 4 | (uint64_t)v;
	}
}

/* "START-END rwxp ..."; -1: it is of another address. */
static int take_line(const char *line, uint64_t address)
{
	uint64_t start, end;
	const char *at = take_hexadecimal(line, &start);
	at = take_hexadecimal(at + (*at == '-'), &end);
	if (*at != ' ' || address < start || address >= end)
		return -1;
	return (at[1] == 'r' ? PROT_READ : 0) | (at[2] == 'w' ? PROT_WRITE : 0) |
	       (at[3] == 'x' ? PROT_EXEC : 0);
}

/* As the kernel lists it; -1: unknown. */
static int protection_of(uint64_t address)
{
	char block[1024], line[64];
	uint32_t at = 0;
	int found = -1;
	long n, fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	while (fd >= 0 && found < 0 && (n = sys_read((int)fd, block, sizeof block)) > 0)
		for (long i = 0; i < n && found < 0; i++) {
			if (block[i] != '\n') {
				if (at + 1 < sizeof line) /* the path is of no interest */
					line[at++] = block[i];
				continue;
			}
			line[at] = 0;
			at = 0;
			found = take_line(line, address);
		}
	if (fd >= 0)
		sys_close((int)fd);
	return found;
}

/* After relocation the loader makes these pages readable only; elsewhere the program did something,
 * and the kernel's list says what. */
static bool open_page(const struct slots_object *o, uint64_t page)
{
	bool is_relro = page >= o->relro && page < o->relro_end;
	int was = is_relro ? PROT_READ : protection_of(page);
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
