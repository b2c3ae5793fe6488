// SPDX-License-Identifier: GPL-3.0-or-later
/* Changes to a profile that know its records: a field is set to an extreme, to another record's
 * value (references across, cycles), to what cancels another; a record takes another's place.
 */
#ifndef SCPROF_TESTS_MUTATION_H
#define SCPROF_TESTS_MUTATION_H

#include <stddef.h>
#include <stdint.h>

struct mutation_map; /* where the records of a profile are */

/* Of a sound profile; NULL: it has no record, or out of memory. `data` must outlive it. */
struct mutation_map *mutation_map_new(const uint8_t *data, size_t size);
void mutation_map_free(struct mutation_map *m);

/* Give its modules build-ids that no file has, so that no time goes into the symbols of files of
 * this machine. `data` is that of the map. */
void mutation_hide_modules(const struct mutation_map *m, uint8_t *data);

/* Write the mutant of this number into `to`, which holds as many bytes as the profile. The same
 * number makes the same mutant. Returns how many bytes of it are left: some are cut short. */
size_t mutation_make(const struct mutation_map *m, uint64_t number, uint8_t *to);

#endif
