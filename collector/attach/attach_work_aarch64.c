// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/attach_work.h"

#include <stdio.h>

struct attach_working *attach_work(const struct attach_target *t, const struct attach_order *o,
				   struct attach_answer *a)
{
	(void)t, (void)o;
	a->status = -1;
	snprintf(a->error.text, sizeof(a->error.text),
		 "attaching by ptrace exists for x86-64 only; start the program with LD_PRELOAD "
		 "and SCPROF_STOPPED=1");
	return NULL;
}

void attach_sample(pid_t tid, void (*look)(void *context), void *context, double *held_ms)
{
	(void)tid, (void)look, (void)context, (void)held_ms;
}

void attach_work_end(struct attach_working *w, int limit_ms)
{
	(void)w, (void)limit_ms;
}
