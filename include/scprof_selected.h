// SPDX-License-Identifier: Apache-2.0
/* What `scprof run -s` and libscprof.so agree on: the stub object.
 *
 * It is a small shared object, preloaded before libscprof.so. For every selected function (a
 * symbol with its version, where it has one) it exports a stub, which loads the address of the
 * symbol's record and jumps to scprof_chosen_call in libscprof.so; and it exports the table of the
 * records as scprof_chosen_table. Its dlsym goes to scprof_chosen_dlsym there, so that what the
 * program finds by a handle is a stub, too. (These three names are part of the interface between
 * tool and library, and stay.) Offsets are from the start of the table, so that nothing in it is
 * relocated. */
#ifndef SCPROF_SELECTED_H
#define SCPROF_SELECTED_H

#include <stdint.h>

#define SCP_SELECTED_MAGIC	"SCPSYM1\n"
#define SCP_SELECTED_MAX	16384u /* symbols in one object */
#define SCP_SELECTED_STUB_BYTES 32u    /* from one stub to the next */

struct scp_selected {
	/* Written by libscprof.so: the original, where it is the same for all callers. */
	void *real;
	/* Index of the record. libscprof.so adds what no earlier object had. */
	uint32_t id;
	uint32_t name;	      /* offsets of strings */
	uint32_t version;     /* 0: the symbol has none */
	uint32_t shown;	      /* for reports: demangled */
	uint32_t soname;      /* of the library that it was found in */
	uint32_t flags;	      /* SCP_SELECTED_* */
	uint32_t stack_words; /* SCP_SELECTED_STACK: words of arguments on the stack, at most */
	int32_t table;	      /* offset of the table from here; 0 in those of earlier versions */
	uint32_t reserved[6];
};
/* Not exported: handed out by dlsym, for one original each. */
#define SCP_SELECTED_SPARE 1u
/* stack_words is known; else there may be as many as the caller's frame has. */
#define SCP_SELECTED_STACK 2u
/* ...of the function in the library of that soname: another one of the same name may have more. */
#define SCP_SELECTED_STACK_HERE 4u

struct scp_selected_table {
	char magic[8];
	uint32_t count;
	uint32_t reserved;
	int64_t symbols; /* offset of struct scp_selected[count] */
	int64_t stubs;	 /* offset of the first stub; they are in the order of the records */
};

_Static_assert(sizeof(struct scp_selected) == 64, "selected function");
_Static_assert(sizeof(struct scp_selected_table) == 32, "table of selected functions");

#endif
