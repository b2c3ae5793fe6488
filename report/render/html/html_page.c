// SPDX-License-Identifier: GPL-3.0-or-later
/* The page's halves, as report/render/html/page/assemble.sh makes them, put into the program as
 * they are. HTML_HEAD and HTML_TAIL name the files. */
#include "report/render/html/html.h"

__asm__(".section .rodata\n"
	".global html_page_head, html_page_tail\n"
	"html_page_head: .incbin \"" HTML_HEAD "\"\n"
	".byte 0\n"
	"html_page_tail: .incbin \"" HTML_TAIL "\"\n"
	".byte 0\n"
	".text\n");
