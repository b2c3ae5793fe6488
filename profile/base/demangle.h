// SPDX-License-Identifier: GPL-3.0-or-later
/* Readable names of C++ and Rust symbols. */
#pragma once

/* The source's name for a linker name; a name that is not mangled is copied.
 * Rust, legacy and v0, loses its hash. NULL when out of memory; free() it. */
char *demangle_full(const char *name);

/* The same without parameters and return type. */
char *demangle_brief(const char *name);
