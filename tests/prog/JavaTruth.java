// SPDX-License-Identifier: MIT
//
// JavaTruth.java LIBRARY CLASSES [wall] SECONDS - a program whose native stack says what its Java stack is, in two threads.
//
// Each method f_K is called through the native function shadow_K of LIBRARY (java_shadow.c): so a stack that has both can be
// checked. From f_K on, Java calls Java, through methods of the JDK as well. CLASSES has the classes Part_K, all of one shape
// (java_truth_part.java). They are loaded anew all the time, so that others have their memory later.
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Random;

public class JavaTruth extends Thread {
    static final int COUNT = 8, DEPTH = 5;
    static final long ROUND_NS = 150_000_000;
    static String folder;

    final double seconds;
    final Random random;

    JavaTruth(double seconds, long seed) {
        this.seconds = seconds;
        random = new Random(seed);
    }

    static native int call(int number, Class<?> part, int depth);

    Class<?>[] parts;

    public static int go_on(int depth) {
        JavaTruth self = (JavaTruth) Thread.currentThread();
        return depth > 0 ? self.dispatch(self.random.nextInt(COUNT), depth - 1) : 0;
    }

    int dispatch(int number, int depth) {
        return call(number, parts[number], depth);
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(JavaTruth.class.getClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
                byte[] bytes = Files.readAllBytes(new File(folder, name + ".class").toPath());
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name);
            }
        }
    }

    static boolean wall;

    static long now() {
        return wall ? System.nanoTime() : ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    // Loads the classes in another order each time.
    void load() throws ClassNotFoundException {
        Loader loader = new Loader();
        int first = random.nextInt(COUNT);

        parts = new Class<?>[COUNT];
        for (int i = 0; i < COUNT; i++)
            parts[(first + i) % COUNT] = Class.forName("Part_" + (first + i) % COUNT, true, loader);
    }

    @Override
    public void run() {
        long end = now() + (long) (seconds * 1e9);

        try {
            for (int round = 0; now() < end; round++) {
                long next = now() + ROUND_NS;

                load();
                while (now() < next)
                    dispatch(random.nextInt(COUNT), DEPTH);
                parts = null;
                if (round % 2 == 1)
                    System.gc();
            }
        } catch (ClassNotFoundException e) {
            System.exit(3);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        double seconds = Double.parseDouble(args[args.length - 1]) * (args.length > 3 ? 2 : 1);
        JavaTruth[] threads = { new JavaTruth(seconds / 2, 1), new JavaTruth(seconds / 2, 2) };

        System.load(args[0]);
        folder = args[1];
        wall = args.length > 3;
        for (JavaTruth thread : threads)
            thread.start();
        for (JavaTruth thread : threads)
            thread.join();
    }
}
