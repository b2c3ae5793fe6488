// SPDX-License-Identifier: Apache-2.0
/* libunwind's walk, through its interface for other address spaces ("remote"): it takes registers,
 * memory and tables from the accessors below, asks neither the loader nor the kernel, and keeps no
 * cache. Built into libscprof-unwind.so. */
#include <string.h>

#include <libunwind.h>

#include "include/scprof_version.h"
#include "preload/second/libunwind_walk.h"

#define STACK_BYTES (64u << 10)

/* As linkers write .eh_frame_hdr: version 1, a table of pairs of 32 bits relative to itself. */
#define HDR_FORM     UINT32_C(0x3b031b01)
#define HDR_COUNT_AT 8u
#define HDR_TABLE_AT 12u

/* Exported, but in no header: profilers declare it (see perf's unwind-libunwind-local.c). */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
				       unw_proc_info_t *, int, void *);

static unw_addr_space_t space;
static unw_cursor_t cursor;
static bool no_table; /* in the latest step; where there is none libunwind begins to guess */
static uint8_t stack[STACK_BYTES] __attribute__((aligned(64)));

static bool describe_table(const struct libunwind_walk *w, const struct unwind_object *o,
			   unw_dyn_info_t *di)
{
	const uint32_t *hdr = (const uint32_t *)o->eh_frame_hdr;
	if (!w->readable(o->eh_frame_hdr) || !w->readable(o->eh_frame_hdr + HDR_COUNT_AT) ||
	    *hdr != HDR_FORM)
		return false;
	di->format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di->start_ip = o->start;
	di->end_ip = o->end;
	di->u.rti.segbase = o->eh_frame_hdr;
	di->u.rti.table_data = o->eh_frame_hdr + HDR_TABLE_AT;
	di->u.rti.table_len = hdr[HDR_COUNT_AT / 4]; /* in words of eight bytes: a pair each */
	return true;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi,
			  int need_unwind_info, void *arg)
{
	struct libunwind_walk *w = arg;
	struct unwind_object o;
	unw_dyn_info_t di = {0};
	int r = -UNW_ENOINFO;
	if (w->find(ip, &o) && describe_table(w, &o, &di))
		r = UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need_unwind_info, arg);
	no_table = r < 0;
	return r;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)pi, (void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *address, void *arg)
{
	(void)as, (void)address, (void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write,
		      void *arg)
{
	struct libunwind_walk *w = arg;
	(void)as;
	if (write || !w->readable(address))
		return -UNW_EINVAL;
	memcpy(value, (const void *)address, sizeof *value);
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	struct libunwind_walk *w = arg;
	(void)as;
	if (write)
		return -UNW_EREADONLYREG;
	if (reg == UNW_REG_IP)
		*value = w->ra - 1; /* within the call: libunwind takes it for interrupted there */
	else if (reg == UNW_REG_SP)
		*value = w->cfa;
	else if (reg == UNW_X86_64_RBP)
		*value = w->fp;
	else
		return -UNW_EBADREG;
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
	(void)as, (void)c, (void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t address, char *name, size_t room,
			 unw_word_t *offset, void *arg)
{
	(void)as, (void)address, (void)name, (void)room, (void)offset, (void)arg;
	return -UNW_ENOINFO;
}

__attribute__((visibility("default"))) bool scprof_libunwind_begin(const char *version)
{
	unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	if (strcmp(version, SCPROF_VERSION) != 0)
		return false;
	space = unw_create_addr_space(&accessors, 0);
	return space && unw_set_caching_policy(space, UNW_CACHE_NONE) == 0;
}

/* One frame outwards; false: `end` says why not. */
static bool step(struct libunwind_walk *w)
{
	unw_word_t ip = 0;
	no_table = false;
	int r = unw_step(&cursor);
	w->end = r < 0 || no_table ? LIBUNWIND_WALK_STOPPED : LIBUNWIND_WALK_ENDED;
	if (r <= 0 || no_table || unw_get_reg(&cursor, UNW_REG_IP, &ip) < 0 || !ip)
		return false;
	w->pc[w->count] = ip;
	w->exact[w->count] = unw_is_signal_frame(&cursor) > 0; /* that was left, not reached */
	w->count++;
	return true;
}

static void walk(struct libunwind_walk *w)
{
	w->count = 1;
	w->pc[0] = w->ra;
	w->exact[0] = false;
	w->end = LIBUNWIND_WALK_STOPPED;
	if (unw_init_remote(&cursor, space, w) < 0)
		return;
	while (w->count < w->most)
		if (!step(w))
			return;
	w->end = LIBUNWIND_WALK_FULL;
}

/* The thread's own stack may be a small one. */
__attribute__((visibility("default"), noinline)) void scprof_libunwind_walk(
	struct libunwind_walk *w)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "callq *%[walk]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(w)
			 : [top] "r"(stack + sizeof stack), [walk] "r"(walk)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc",
			   "memory");
}
