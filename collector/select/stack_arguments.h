// SPDX-License-Identifier: GPL-3.0-or-later
/* How many words of arguments a selected function takes on the stack, at most: from its name, or
 * from the debug information of its library, where there is some. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "collector/select/selection.h"

struct stack_arguments {
	uint32_t flags; /* SCP_SELECTED_STACK, SCP_SELECTED_STACK_HERE; 0: not known */
	uint32_t words;
};

/* `found`: one for each symbol, zeroed. What cannot be read is not known. Nothing is downloaded. */
void stack_arguments_find(const struct selection *c, struct stack_arguments *found);

/* By the name: a function of C or POSIX, of which no other library has one with other parameters;
 * or one of C++ with few parameters, all of them numbers, pointers and references: `shown` is its
 * demangled name. */
bool stack_arguments_has_none(const char *name, const char *shown);

/* A function of the ready-made groups' libraries. */
bool stack_arguments_has_none_in(const char *name, const char *soname);

/* By the types of a function's parameters (System V ABI, AMD64 supplement, 3.2.3; AAPCS64, 6.8.2).
 * What may be in a register or in memory, as vectors and small structures, is taken for both, so
 * the result is never too small. False: not known: variadic, without parameters' types, or of a
 * language other than C and C++. */
bool stack_types_words(Dwarf_Die *function, uint32_t *words);
