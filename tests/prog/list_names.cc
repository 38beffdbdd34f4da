// SPDX-License-Identifier: MIT
//
// list_names.cc - a library whose functions have mangled names.

namespace shapes
{

int sum(int a, int b);
template <typename T> T largest(T a, T b);
struct square {
	int side;
	int operator()(int times) const;
};

int sum(int a, int b)
{
	return a + b;
}

template <typename T> T largest(T a, T b)
{
	return a > b ? a : b;
}
template long largest<long>(long, long);

int square::operator()(int times) const
{
	return side * side * times;
}

} // namespace shapes
