// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of functions that a profile knows by object and offset only: those of programs built
 * with -finstrument-functions. The library does not read symbol tables inside its target. And which
 * frames are functions of a language whose code was generated (function_names.c). */
#pragma once

#include "profile/profile.h"

/* Mark the paths and count the calls that the filters "below=" of the profile leave out: no frame
 * is of a function that their patterns mean. function_names_fill ends with it. Where memory runs
 * out nothing is left out. */
void below_mark(struct profile *p);

/* Give "0x1139" of "app" its name, wherever a module of that file name is at hand and has
 * one; the others stay as they are. Before a report or a comparison is built, and not before
 * the profile is written: elsewhere other files may be at hand. */
void function_names_fill(struct profile *p);

/* Adds to the model the names of all generated code that its call paths go through, as far as maps
 * and dumps of its processes know them (symbolize_jit.c). Where memory runs out names are missing.
 */
void generated_keep(struct profile *p);
