// SPDX-License-Identifier: MIT
//
// sees_shapes.h - libsees_shapes.so: virtual functions that can be imported, and mangled names.
#ifndef DWELL_TESTS_SEES_SHAPES_H
#define DWELL_TESTS_SEES_SHAPES_H

namespace shapes
{

class shape
{
      public:
	virtual ~shape();
	virtual int area() const;
	virtual int corners() const;
};

shape *make_square();

int sum(int a, int b);
double sum(double a, double b);
template <typename T> T largest(T a, T b);
extern template long largest<long>(long, long);

} // namespace shapes

#endif
