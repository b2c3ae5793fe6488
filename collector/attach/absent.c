// SPDX-License-Identifier: GPL-3.0-or-later
/* Stands in for attach.c, refusal.c and wake.c where they are not built. */
#include "collector/attach/attach.h"
#include "collector/attach/refusal.h"
#include "collector/attach/wake.h"
#include "profile/base/error.h"

static int refuse(struct profile_error *err)
{
	error_set(err, "this scprof was built without what goes to a running process");
	return -1;
}

int attach_begin(const struct attach_order *o, struct attach_result *r, struct profile_error *err)
{
	(void)o;
	(void)r;
	return refuse(err);
}

int attach_end(const struct attach_target *t, struct attach_result *r, bool *was,
	       struct profile_error *err)
{
	(void)t;
	(void)r;
	*was = false;
	return refuse(err);
}

int refusal_check(pid_t pid, const char *library, bool by_ptrace, struct refusal_facts *f,
		  struct profile_error *err)
{
	(void)pid;
	(void)library;
	(void)by_ptrace;
	(void)f;
	return refuse(err);
}

int wake_open(struct wake *w, const char *path, struct profile_error *err)
{
	(void)path;
	w->fd = -1;
	return refuse(err);
}

int wake_begin(struct wake *w, const char *const *variables, const pid_t *pids, size_t count,
	       struct profile_error *err)
{
	(void)w;
	(void)variables;
	(void)pids;
	(void)count;
	return refuse(err);
}

int wake_end(struct wake *w, struct profile_error *err)
{
	(void)w;
	return refuse(err);
}

void wake_close(struct wake *w)
{
	(void)w;
}
