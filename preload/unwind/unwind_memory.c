// SPDX-License-Identifier: Apache-2.0
/* Memory of this process, as the core of the unwinder reads it; and one step of an unwind in it, by
 * the row of call-frame information that holds at the program counter, or by what the kernel laid
 * down for a signal. */
#include "preload/unwind/unwind.h"

#define DWARF_64 0xffffffffu /* as a length: eight bytes of length follow */

bool unwind_memory_read(struct unwind_cursor *c, uint64_t address, uint64_t *value)
{
	if ((address & 7) || !c->readable(c->context, address))
		return false;
	*value = *(volatile uint64_t *)address;
	return c->note(c->context, address, *value);
}

/* The length field of a CIE or FDE; leaves the reader over its body. */
static bool open_entry(const uint8_t *at, const struct unwind_object *o, struct dwarf_reader *r)
{
	if ((uint64_t)at < o->start || (uint64_t)at + 12 > o->end)
		return false;
	*r = (struct dwarf_reader){.p = at, .end = (const uint8_t *)o->end};
	uint64_t length = dwarf_bytes(r, 4);
	if (length == DWARF_64)
		length = dwarf_bytes(r, 8);
	if (!length || length > (uint64_t)(r->end - r->p))
		return false;
	r->end = r->p + length;
	return true;
}

/* The FDE whose range begins last at or before pc (LSB, section 10.6.2). */
static const uint8_t *search_table(const struct unwind_object *o, uint64_t pc)
{
	uint64_t hdr = o->eh_frame_hdr;
	if (hdr < o->start || hdr + 12 > o->end)
		return NULL;
	struct dwarf_reader r = {.p = (const uint8_t *)hdr, .end = (const uint8_t *)o->end};
	uint64_t version = dwarf_bytes(&r, 1);
	uint8_t frame_encoding = (uint8_t)dwarf_bytes(&r, 1);
	uint8_t count_encoding = (uint8_t)dwarf_bytes(&r, 1);
	uint64_t table_encoding = dwarf_bytes(&r, 1);
	dwarf_pointer(&r, frame_encoding, hdr);
	uint64_t count = dwarf_pointer(&r, count_encoding, hdr);
	/* Every linker writes this one form: data-relative, four bytes, signed. */
	if (r.bad || version != 1 || table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
	    !count || count > (uint64_t)(r.end - r.p) / 8)
		return NULL;
	const int32_t *table = (const int32_t *)r.p;
	int64_t want = (int64_t)(pc - hdr);
	uint64_t low = 0, high = count;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;
		if (table[2 * middle] <= want)
			low = middle;
		else
			high = middle;
	}
	if (table[2 * low] > want)
		return NULL;
	return (const uint8_t *)(hdr + (uint64_t)(int64_t)table[2 * low + 1]);
}

bool unwind_memory_find_entry(struct unwind_cursor *c, uint64_t pc, struct unwind_entry *e)
{
	struct unwind_object o;
	(void)c;
	if (!unwind_object_find_object(pc, &o) || !o.eh_frame_hdr)
		return false;
	const uint8_t *fde = search_table(&o, pc);
	if (!fde || !open_entry(fde, &o, &e->fde))
		return false;
	const uint8_t *id_at = e->fde.p;
	uint64_t id = dwarf_bytes(&e->fde, 4);
	return id && open_entry(id_at - id, &o, &e->cie);
}

bool unwind_memory_open_block(struct unwind_cursor *c, uint64_t block, struct dwarf_reader *r)
{
	(void)c;
	*r = (struct dwarf_reader){.p = (const uint8_t *)block, .end = (const uint8_t *)block + 10};
	uint64_t length = dwarf_uleb(r);
	r->end = r->p + length;
	return true;
}
