// SPDX-License-Identifier: GPL-3.0-or-later
// Methods that write: to a file, and in another thread.
import java.io.FileOutputStream;
import java.io.IOException;

public class Reply {
	static void note(FileOutputStream to) throws IOException
	{
		to.write(new byte[] {1, 2, 3});
	}

	static void run(FileOutputStream to)
	{
		try {
			note(to);
		} catch (IOException e) {
			throw new RuntimeException(e);
		}
	}

	public static void main(String[] arguments) throws Exception
	{
		FileOutputStream to = new FileOutputStream("/dev/null");
		Thread other = new Thread(() -> run(to));

		note(to);
		other.start();
		other.join();
	}
}
