// SPDX-License-Identifier: MIT
//
// sees_virtual.cc - calls of virtual functions: by the library's table of them, and by a table in
// the program that leads into the library.
#include "sees_shapes.h"

#include "sees.h"

namespace
{

class hexagon : public shapes::shape
{
      public:
	int corners() const override
	{
		return 6;
	}
};

// The compiler shall not know what is behind it.
shapes::shape *hidden(shapes::shape *shape)
{
	__asm__("" : "+r"(shape));
	return shape;
}

} // namespace

int main()
{
	hexagon own;
	shapes::shape *inherited = hidden(&own), *made = hidden(shapes::make_square());
	int area = 0, corners = 0;

	for (int i = 0; i < 3; i++)
		area += inherited->area();
	corners += inherited->corners();
	for (int i = 0; i < 5; i++)
		area += made->area();
	for (int i = 0; i < 7; i++)
		corners += made->corners();
	delete made;
	printf("area %d corners %d\n", area, corners);
	expect("_ZN6shapes11make_squareEv", "libsees_shapes.so", 1);
	expect("_ZNK6shapes5shape4areaEv", "libsees_shapes.so", 3);
	expect("_ZNK6shapes6square4areaEv", "libsees_shapes.so", 5);
	expect("_ZNK6shapes6square7cornersEv", "libsees_shapes.so", 7);
	return 0;
}
