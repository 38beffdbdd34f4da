// SPDX-License-Identifier: MIT
//
// java_truth_part.java - a class of JavaTruth.java. The test replaces _K by _0, _1 and so on.
import java.lang.reflect.Method;
import java.util.Arrays;

public class Part_K {
    static int spin_K(int n) {
        int total = 0;

        for (int i = 0; i < n; i++)
            total += i * i % 7;
        return total;
    }

    static int small_K(int n) {
        return spin_K(n) + 1;
    }

    static int leaf_inlined_K(int n) {
        return small_K(n) + small_K(n + 1);
    }

    static int leaf_sorted_K(int n) {
        Integer[] list = new Integer[n];

        for (int i = 0; i < n; i++)
            list[i] = i * 7919 % n;
        Arrays.sort(list, (a, b) -> a - b + 0 * spin_K(5));
        return list[0];
    }

    static int raise_K(int n) {
        if (n > 0)
            return raise_K(n - 1) + 1;
        throw new IllegalStateException("raised");
    }

    static int leaf_raised_K(int n) {
        try {
            return raise_K(n);
        } catch (IllegalStateException e) {
            return spin_K(n);
        }
    }

    abstract static class Shape {
        abstract int area(int n);
    }

    static class Square extends Shape {
        @Override
        int area(int n) {
            return spin_K(n);
        }
    }

    // Loaded later: what was compiled in the belief that each shape is a square is thrown away.
    static class Circle extends Shape {
        @Override
        int area(int n) {
            return spin_K(n) + 2;
        }
    }

    static Shape shape = new Square();
    static int calls;

    static int leaf_virtual_K(int n) {
        if (++calls % 3000 == 0)
            shape = calls % 2000 == 0 ? new Circle() : new Square();
        return shape.area(n) + shape.area(n + 1);
    }

    static byte[][] kept = new byte[64][];

    static int leaf_made_K(int n) {
        for (int i = 0; i < n; i++) {
            kept[i % kept.length] = new byte[1024];
            System.arraycopy(kept[i % kept.length], 0, kept[0], 0, 512);
        }
        return spin_K(n);
    }

    static int leaf_text_K(int n) {
        StringBuilder text = new StringBuilder();

        for (int i = 0; i < n; i++)
            text.append(i).append(", ");
        return text.toString().indexOf("none") + spin_K(n);
    }

    public static int spun_K(int n) {
        return spin_K(n);
    }

    static int leaf_reflected_K(int n) throws Exception {
        Method method = Part_K.class.getMethod("spun_K", int.class);

        return (Integer) method.invoke(null, n);
    }

    static int inline_K(int depth) throws Exception {
        return JavaTruth.go_on(depth) + leaf_inlined_K(200) + leaf_sorted_K(12) + leaf_raised_K(6) + leaf_virtual_K(100) + leaf_made_K(8) + leaf_text_K(6) +
                leaf_reflected_K(100);
    }

    public static int f_K(int depth) throws Exception {
        return inline_K(depth);
    }
}
