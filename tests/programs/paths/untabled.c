// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes a byte below two functions of a library that has no .eh_frame of its code: main,
 * untabled_outer, untabled_inner, each calls the next. */
#include "paths/untabled.h"

int main(void)
{
	return untabled_outer(untabled_inner) == 3 ? 0 : 1;
}
