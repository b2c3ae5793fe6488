// SPDX-License-Identifier: Apache-2.0
/* Which part of a caller's stack is passed on to the original of a selected function: all that can
 * be arguments. They end where the caller's frame does. Where the tool knows how many words the
 * function has (include/scprof_selected.h), no more than that; where it does not, all of the frame,
 * up to a size that costs little to copy. Never a part of them: such a call is not recorded. */
#ifndef SCPROF_PRELOAD_FUNCTION_SELECTED_STACK_H
#define SCPROF_PRELOAD_FUNCTION_SELECTED_STACK_H

#include <stdint.h>

#include "preload/system/util.h"

#define SELECTED_STACK_FAST    32u /* words that the trampoline's frame has room for */
#define SELECTED_STACK_STEP    4u  /* of which so many are copied at a time */
#define SELECTED_STACK_REFUSED UINT16_MAX
#define SELECTED_FRAME_UNKNOWN UINT64_MAX

/* How many words from `cfa` on are to be copied for this symbol: a multiple of
 * SELECTED_STACK_STEP, more than SELECTED_STACK_FAST, or SELECTED_STACK_REFUSED. `frame`: words of
 * the caller's frame there, or SELECTED_FRAME_UNKNOWN. Asks the kernel which memory there is: slow
 * path only. */
HIDDEN uint32_t selected_stack_words(uint32_t id, uint64_t cfa, uint64_t frame);

/* The words of a caller that is scprof_chosen_call itself: its original has left the call to
 * another function, which has at most the arguments that were copied. `frame`: up to its end. */
HIDDEN uint64_t selected_stack_copied(uint64_t cfa, uint64_t fp, uint64_t frame);

/* A call was refused. */
HIDDEN void selected_stack_count(uint32_t id);

#endif
