// SPDX-License-Identifier: GPL-3.0-or-later
/* libiberty knows every mangling there is. This file picks names for it; absurdly long ones stay as
 * they are, and so do those that would become so (demangle_budget.h). */
#include "profile/base/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <libiberty/demangle.h>

#include "profile/base/demangle_budget.h"

#define LONGEST_NAME 2048

/* A Rust v0 or Itanium name; anything else may only look mangled in one of the
 * old styles that libiberty would guess. */
static int is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "___Z", 4);
}

/* D has a scheme of its own; "_DYNAMIC" is no name of it. */
static bool is_d(const char *name)
{
	return !strcmp(name, "_Dmain") ||
	       (!strncmp(name, "_D", 2) && isdigit((unsigned char)name[2]));
}

/* "mod.T!(int).f(char)" up to its last list of parameters; libiberty writes them always. */
static char *cut_parameters(char *plain)
{
	char *end = plain ? strrchr(plain, ')') : NULL;
	int depth = 0;

	for (char *at = end; at && at >= plain; at--) {
		depth += (*at == ')') - (*at == '(');
		if (depth)
			continue;
		if (at > plain && at[-1] != '!' && at[-1] != ' ')
			*at = '\0';
		break;
	}
	return plain;
}

static char *demangle_d(const char *name, int options)
{
	char *plain = demangle_budget_d(name, DMGL_ANSI);

	return options & DMGL_PARAMS ? plain : cut_parameters(plain);
}

static char *demangle(const char *name, int options)
{
	char *plain = NULL;

	if (strlen(name) > LONGEST_NAME)
		return strdup(name);
	if (is_d(name))
		plain = demangle_d(name, options);
	else if (is_mangled(name))
		plain = demangle_budget_cplus(name, DMGL_ANSI | options);
	return plain ? plain : strdup(name);
}

char *demangle_full(const char *name)
{
	return demangle(name, DMGL_PARAMS);
}

char *demangle_brief(const char *name)
{
	return demangle(name, 0);
}
