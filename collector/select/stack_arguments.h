// SPDX-License-Identifier: GPL-3.0-or-later
/* How many words of arguments a selected function takes on the stack, at most: from its name, or
 * from the debug information of its library, where there is some. */
#ifndef SCPROF_COLLECTOR_SELECT_STACK_ARGUMENTS_H
#define SCPROF_COLLECTOR_SELECT_STACK_ARGUMENTS_H

#include "collector/select/selection.h"

struct stack_arguments {
	uint32_t flags; /* SCP_SELECTED_STACK, SCP_SELECTED_STACK_HERE; 0: not known */
	uint32_t words;
};

/* `found`: one for each symbol, zeroed. What cannot be read is not known. Nothing is downloaded. */
void stack_arguments_find(const struct selection *c, struct stack_arguments *found);

#endif
