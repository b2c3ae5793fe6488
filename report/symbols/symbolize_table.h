// SPDX-License-Identifier: GPL-3.0-or-later
/* The symbols of one module in order of address, so that a lookup need not read them all,
 * as dwfl_module_addrinfo does. Private to symbolize*.c.
 *
 * The answers are that function's (elfutils 0.188), also where symbols overlap or have no size.
 * Where a symbol means a function's descriptor (64-bit PowerPC, first ABI) it names the function
 * only, not the descriptor. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_TABLE_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_TABLE_H

#include <elfutils/libdwfl.h>

struct symbol_table;

/* Reads the module's symbols once; 36 bytes for each that has an address. NULL: out of memory.
 * The module must outlive the table. */
struct symbol_table *symbolize_table_new(Dwfl_Module *module);
void symbolize_table_free(struct symbol_table *t);

/* The name of the symbol that an address (of the Dwfl) belongs to, and how far behind its
 * beginning that is; NULL: none. The name is the module's. */
const char *symbolize_table_find(struct symbol_table *t, GElf_Addr address, GElf_Off *into);

#endif
