// SPDX-License-Identifier: GPL-3.0-or-later
/* What of a stub object depends on the processor. */
#ifndef SCPROF_COLLECTOR_SELECT_STUB_CODE_H
#define SCPROF_COLLECTOR_SELECT_STUB_CODE_H

#include "collector/select/stub_image.h"

struct stub_code {
	uint16_t machine; /* e_machine */
	size_t page;	  /* the largest of any kernel: segments are aligned to it */
	uint32_t slot;	  /* type of the relocation of a slot */
	/* A CIE: code 1, data -8, pcrel sdata4; where the return address is at every byte of a
	 * stub. */
	uint8_t cie[24];
	/* Append a stub of SCP_SELECTED_STUB_BYTES. With the address of the record (0: none) in
	 * the register that the trampoline takes it in, it jumps to where the slot at `slot` says,
	 * or to o->early_at while that is empty. */
	void (*put)(struct object *o, size_t record, size_t slot);
	/* Bits of GNU_PROPERTY_AARCH64_FEATURE_1_AND that hold for the object; 0: no such note. */
	uint32_t features;
};

/* NULL: there are no stubs for this processor. */
const struct stub_code *stub_code_find(uint16_t machine);

/* What a stub does as long as the loader has not filled its slot: from libscprof.so at `path`, see
 * preload/selected/selected_early.c. Free with free(). NULL with *err. */
uint8_t *stub_code_read_early(const char *path, size_t *bytes, struct profile_error *err);

#endif
