// SPDX-License-Identifier: GPL-3.0-or-later
/* Machine code by hand: what is put together is always the same few instructions. */
#include "collector/select/stub_image.h"

#include <string.h>

static void put_offset(uint8_t *to, size_t target, size_t next)
{
	int32_t offset = (int32_t)(target - next);

	memcpy(to, &offset, sizeof(offset));
}

/* endbr64; lea record(%rip), %r11 (or xor %r11d, %r11d; nop); cmpq $0, slot(%rip); je early;
 * jmp *slot(%rip) */
static void put_x86_64(struct object *o, size_t record, size_t slot)
{
	static const uint8_t none[] = {0x45, 0x31, 0xdb, 0x0f, 0x1f, 0x40, 0x00};
	uint8_t code[SCP_SELECTED_STUB_BYTES] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x4c, 0x8d, 0x1d, 0, 0,	   0,	 0,
		0x48, 0x83, 0x3d, 0,	0,    0,    0,	  0, 0x0f, 0x84, 0,
		0,    0,    0,	  0xff, 0x25, 0,    0,	  0, 0,	   0xcc,
	};
	size_t at = o->image.size;

	if (record)
		put_offset(code + 7, record, at + 11);
	else
		memcpy(code + 4, none, sizeof(none));
	put_offset(code + 14, slot, at + 19);
	put_offset(code + 21, o->early_at, at + 25);
	put_offset(code + 27, slot, at + 31);
	stub_image_put(o, code, sizeof(code));
}

/* Arm Architecture Reference Manual, C6.2: the immediate of adrp in units of 4096 bytes. */
static uint32_t adrp(uint32_t reg, size_t target, size_t at)
{
	uint32_t pages = (uint32_t)((target >> 12) - (at >> 12));

	return 0x90000000u | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5 | reg;
}

/* bti c; adrp x16, record; add x16, x16, record (or mov x16, xzr; nop); adrp x17, slot;
 * ldr x17, [x17, slot]; cbz x17, early; br x17 */
static void put_aarch64(struct object *o, size_t record, size_t slot)
{
	size_t at = o->image.size;
	uint32_t to_early = (uint32_t)((o->early_at - (at + 20)) / 4) & 0x7ffff;
	const uint32_t code[SCP_SELECTED_STUB_BYTES / 4] = {
		0xd503245f,
		record ? adrp(16, record, at + 4) : 0xaa1f03f0,
		record ? 0x91000210 | (uint32_t)(record & 0xfff) << 10 : 0xd503201f,
		adrp(17, slot, at + 12),
		0xf9400231 | (uint32_t)(slot & 0xfff) / 8 << 10,
		0xb4000011 | to_early << 5,
		0xd61f0220,
		0xd4200000, /* brk #0 */
	};

	stub_image_put(o, code, sizeof(code));
}

static const struct stub_code codes[] = {
	{.machine = EM_X86_64,
	 .page = 4096,
	 .slot = R_X86_64_GLOB_DAT,
	 .cie = {20, 0, 0,    0,  0, 0,	   0,	 0, 1, 'z',  'R',
		 0,  1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1}, /* CFA rsp + 8, rip at CFA - 8 */
	 .put = put_x86_64},
	{.machine = EM_AARCH64,
	 .page = 65536,
	 .slot = R_AARCH64_GLOB_DAT,
	 .cie = {20,  0, 0, 0,	  0,  0, 0,    0,    1,	 'z',
		 'R', 0, 1, 0x78, 30, 1, 0x1b, 0x0c, 31, 0}, /* CFA sp, return address in x30 */
	 .put = put_aarch64,
	 .features = GNU_PROPERTY_AARCH64_FEATURE_1_BTI},
};

const struct stub_code *stub_code_find(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].machine == machine)
			return &codes[i];
	return NULL;
}
