// SPDX-License-Identifier: GPL-3.0-or-later
/* See chosen_cxx_lib.cc. */
#ifndef CHOSEN_CXX_H
#define CHOSEN_CXX_H

namespace chosen
{

class Counter
{
      public:
	explicit Counter(int start);
	virtual ~Counter();
	int add(int by);		  /* throws an int when by < 0 */
	int add(const char *digits, int); /* throws what add(int) throws */
	int visit(int (*f)(int), int x);

      private:
	int value;
};

} // namespace chosen

#endif
