// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/attach/attach_targets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/messages/complaint.h"
#include "collector/attach/target/relatives.h"

/* Profiles are made by the processes: private to their user, where that is one. */
static int give_directory(const struct run_directory *d, const struct attach_targets *t)
{
	const struct refusal_facts *f = &t->one[0].facts;

	for (size_t i = 1; i < t->count; i++)
		if (t->one[i].facts.uid != f->uid)
			return 0;
	if (!run_directory_give(d, f->uid, f->gid))
		return 0;
	return say_format("cannot give %.300s to the process's user: %s", d->profiles,
			  strerror(errno));
}

/* All processes must share one root directory, since there is one directory for all. */
static int check_roots(const struct attach_targets *t)
{
	pid_t first = t->one[0].facts.target.pid;

	for (size_t i = 1; i < t->count; i++) {
		pid_t other = t->one[i].facts.target.pid;

		if (relatives_same_root(first, other) || attach_targets_child_ended(t, i))
			continue;
		return say_format(
			"processes %d and %d see different files (another container or root "
			"directory): attach to them one at a time",
			(int)first, (int)other);
	}
	return 0;
}

/* The folder of the page that wakes it, as the process sees it: its user may write there. */
static bool page_folder(const struct attach_one *one, char folder[PATH_MAX])
{
	char root[48];
	size_t bytes =
		(size_t)snprintf(root, sizeof(root), "/proc/%d/root", (int)one->facts.target.pid);
	const char *inside = one->facts.wake + bytes, *end;

	if (!one->woken || strncmp(one->facts.wake, root, bytes) != 0 || *inside != '/')
		return false;
	end = strrchr(inside, '/');
	snprintf(folder, PATH_MAX, "%.*s", end == inside ? 1 : (int)(end - inside), inside);
	return true;
}

static int make_there(struct attach_place *p, const struct attach_targets *t, const char *folder,
		      const char *library)
{
	const struct attach_one *first = &t->one[0];
	struct profile_error err;

	if (check_roots(t))
		return -1;
	if (copy_in_begin(&p->copy, &first->facts, folder, first->woken ? NULL : library, &err) ||
	    run_directory_use(&p->directory, p->copy.made, p->copy.profiles_name, &err)) {
		say(err.text);
		copy_in_end(&p->copy);
		return -1;
	}
	p->there = true;
	if (!first->woken)
		snprintf(p->library, sizeof(p->library), "%s", p->copy.inner_library);
	return 0;
}

/* NULL: all see it. */
static const struct attach_target *find_blind(const struct attach_targets *t, const char *path)
{
	for (size_t i = 0; i < t->count; i++)
		if (!refusal_sees(&t->one[i].facts, path) && !attach_targets_child_ended(t, i))
			return &t->one[i].facts.target;
	return NULL;
}

int attach_place_make(struct attach_place *p, const struct attach_targets *t, const char *copy_to,
		      const char *library, const char *beside)
{
	char folder[PATH_MAX];
	struct profile_error err;

	*p = (struct attach_place){.copy = {.place = -1, .made = -1}};
	snprintf(p->library, sizeof(p->library), "%s", library);
	if (copy_to || *t->one[0].folder)
		return make_there(p, t, copy_to ? copy_to : t->one[0].folder, library);
	if (run_directory_create(&p->directory, beside, &err))
		return say(err.text);
	const struct attach_target *blind = find_blind(t, p->directory.base);
	if (!blind) {
		if (!give_directory(&p->directory, t))
			return 0;
		run_directory_remove(&p->directory);
		return -1;
	}
	run_directory_remove(&p->directory);
	if (page_folder(&t->one[0], folder))
		return make_there(p, t, folder, library);
	if (!attach_targets_lives(blind))
		return say_format("process %d has ended", (int)blind->pid);
	return say_format(
		"process %d does not see %.200s, where profiles are made (another container or "
		"root directory): add --copy-to DIR, such as /tmp, a directory there",
		(int)blind->pid, p->directory.base);
}

const char *attach_place_name(const struct attach_place *p, const char *path, char name[PATH_MAX])
{
	size_t base = strlen(p->directory.base);

	if (!p->there || strncmp(path, p->directory.base, base) != 0 || path[base] != '/')
		return path;
	snprintf(name, PATH_MAX, "%.*s%.*s", PATH_MAX / 2, p->copy.inner_directory,
		 PATH_MAX / 2 - 1, path + base);
	return name;
}

void attach_place_leave(struct attach_place *p)
{
	run_directory_release(&p->directory);
	if (p->there && !copy_in_end(&p->copy))
		say_format("files are left in %.300s of the process's file system",
			   p->copy.inner_directory);
	p->there = false;
}
