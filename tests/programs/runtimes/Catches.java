// SPDX-License-Identifier: GPL-3.0-or-later
import java.util.*;
import java.util.concurrent.*;

/* What the virtual machine does with signals and stacks of its own: NullPointerException (its
 * SIGSEGV handler), StackOverflowError (guard pages), threads that allocate until the garbage
 * collector works (safepoints by protected pages), a child process. Usage: Catches ALLOCATIONS */
public class Catches {
	static Object[] hidden = new Object[1];

	static int depth(int n) { return depth(n + 1) + 1; }

	static long allocate(int seed, int times) {
		Random random = new Random(seed);
		Map<Integer, byte[]> live = new HashMap<>();
		long sum = 0;
		for (int i = 0; i < times; i++) {
			live.put(random.nextInt(500), new byte[random.nextInt(8000)]);
			sum += live.size();
		}
		return sum;
	}

	static int nulls() {
		int caught = 0;
		for (int i = 0; i < 20000; i++)
			try {
				hidden[0].hashCode();
			} catch (NullPointerException e) {
				caught++;
			}
		return caught;
	}

	static int overflows(int times) {
		int caught = 0;
		for (int i = 0; i < times; i++)
			try {
				depth(0);
			} catch (StackOverflowError e) {
				caught++;
			}
		return caught;
	}

	public static void main(String[] arguments) throws Exception {
		int times = Integer.parseInt(arguments[0]), nulls = nulls(), overflows = overflows(20);
		ExecutorService pool = Executors.newFixedThreadPool(8);
		List<Future<Long>> results = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			int seed = i;
			results.add(pool.submit(() -> allocate(seed, times)));
		}
		long sum = 0;
		for (Future<Long> result : results)
			sum += result.get();
		pool.shutdown();
		Thread thread = new Thread(() -> System.out.println("in a thread " + overflows(1)));
		thread.start();
		thread.join();
		Process child = new ProcessBuilder("sh", "-c", "exit 4").start();
		System.out.println(nulls + " " + overflows + " " + sum + " " + child.waitFor());
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
		System.exit(6);
	}
}
