// SPDX-License-Identifier: GPL-3.0-or-later
/* Can the library see this program? What its file says first; then its own loader is asked to
 * list what it would load, which runs none of the program. */
#include <string.h>
#include <unistd.h>

#include "collector/doctor/doctor_private.h"
#include "collector/launch/elf_facts.h"
#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

static const char *first_complaint(char *text)
{
	char *at = strstr(text, "libscprof.so");

	while (at && at > text && at[-1] != '\n')
		at--;
	at = at ? at : text;
	at[strcspn(at, "\n")] = '\0';
	return *at ? at : "its loader lists nothing";
}

/* "libscprof.so => ..." or "/path/libscprof.so (0x...)", and no word of an error. */
static void ask_loader(struct doctor *d, const struct program *p)
{
	struct elf_facts facts;
	struct profile_error err;
	char library[PATH_MAX], text[16384];
	int fd = given_file_open(p->runner, 0, NULL, NULL);
	int failed = fd < 0 || elf_facts_read(fd, &facts) || !*facts.interpreter ||
		     environment_find_library(library, sizeof(library), &err);

	kernel_file_close(&fd);
	if (failed)
		return;
	if (!elf_facts_loader_is_trusted(facts.interpreter)) {
		doctor_add(d, "program", DOCTOR_MISSING,
			   "%.200s: its loader %.200s is not there, or somebody else can write "
			   "it; it was not asked",
			   p->runner, facts.interpreter);
		doctor_remedy(d, "Run a program only if you trust those who can write its loader");
		return;
	}
	char *const argv[] = {facts.interpreter, (char *)"--list", (char *)p->runner, NULL};
	int status = doctor_try(argv, library, NULL, text, sizeof(text));
	if (!status && strstr(text, "libscprof.so") && !strstr(text, "cannot be preloaded")) {
		doctor_add(d, "program", DOCTOR_OK, "%.300s: its loader takes libscprof.so",
			   p->runner);
		return;
	}
	doctor_add(d, "program", DOCTOR_MISSING,
		   "%.200s: its loader does not take the library: %.250s", p->runner,
		   first_complaint(text));
	doctor_remedy(d,
		      "Build scprof where the program is at home, with that glibc or an older one");
}

static void examine_program(struct doctor *d, const char *program)
{
	static struct program p; /* paths: too large for the stack */

	program_examine(program, &p);
	for (char *end = p.notice; (end = strchr(end, '\n'));)
		*end = ' '; /* one line, as in the other checks */
	if (p.kind == PROGRAM_DYNAMIC)
		ask_loader(d, &p);
	else /* the notice says what to do, too */
		doctor_add(d, "program",
			   p.kind == PROGRAM_ASAN || p.kind == PROGRAM_UNREADABLE ? DOCTOR_NOTE
			   : p.kind == PROGRAM_GO				  ? DOCTOR_LIMITED
										  : DOCTOR_MISSING,
			   "%s", *p.notice ? p.notice : "it cannot be measured");
}

/* The order of the checks is that of the output: first what everything else depends on. */
void doctor_examine(struct doctor *d, const char *program)
{
	*d = (struct doctor){0};
	doctor_library(d);
	if (program)
		examine_program(d, program);
	doctor_files(d);
	doctor_kernel_session(d);
	doctor_clocks(d);
	doctor_cpus(d);
	doctor_kernel(d);
}
