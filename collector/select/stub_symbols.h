// SPDX-License-Identifier: GPL-3.0-or-later
/* The dynamic symbols of a stub object, to be called in this order. */
#ifndef SCPROF_COLLECTOR_SELECT_STUB_SYMBOLS_H
#define SCPROF_COLLECTOR_SELECT_STUB_SYMBOLS_H

#include "collector/select/stub_image.h"

void stub_symbols_number_versions(struct object *o);
void stub_symbols_order(struct object *o);
void stub_symbols_put_symbols(struct object *o);
void stub_symbols_put_hash(struct object *o);
void stub_symbols_put_versions(struct object *o);
/* Once all addresses are known. */
void stub_symbols_set_values(struct object *o);

#endif
