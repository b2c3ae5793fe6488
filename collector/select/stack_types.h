// SPDX-License-Identifier: GPL-3.0-or-later
/* Stack arguments by the types of a function's parameters (System V ABI, AMD64 supplement, 3.2.3;
 * AAPCS64, 6.8.2). What may be in a register or in memory, as vectors and small structures, is
 * taken for both, so the result is never too small. */
#ifndef SCPROF_COLLECTOR_SELECT_STACK_TYPES_H
#define SCPROF_COLLECTOR_SELECT_STACK_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a function's DIE. False: not known: variadic, without parameters' types, or of a language
 * other than C and C++. */
bool stack_types_words(Dwarf_Die *function, uint32_t *words);

#endif
