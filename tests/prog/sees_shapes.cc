// SPDX-License-Identifier: MIT
//
// sees_shapes.cc - see sees_shapes.h. The library's own table of virtual functions names them as
// symbols, since a program may have its own.
#include "sees_shapes.h"

namespace shapes
{

shape::~shape()
{
}

int shape::area() const
{
	return 1;
}

int shape::corners() const
{
	return 0;
}

class square : public shape
{
      public:
	int area() const override;
	int corners() const override;
};

int square::area() const
{
	return 16;
}

int square::corners() const
{
	return 4;
}

shape *make_square()
{
	return new square;
}

int sum(int a, int b)
{
	return a + b;
}

double sum(double a, double b)
{
	return a + b;
}

template <typename T> T largest(T a, T b)
{
	return a > b ? a : b;
}
template long largest<long>(long, long);

} // namespace shapes
