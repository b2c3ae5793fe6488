// SPDX-License-Identifier: GPL-3.0-or-later
// A server with a thread for each connection, which makes garbage besides. GET /SEED/SIZE.
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

public class Server {
	static byte[] body(String path) throws Exception {
		String[] words = path.split("/");
		int size = Integer.parseInt(words[2]);
		String unit = String.format("scprof-check-%08d.", Integer.parseInt(words[1]));
		byte[] text = unit.repeat(size / 22 + 1).substring(0, size).getBytes(StandardCharsets.US_ASCII);
		StringBuilder hex = new StringBuilder();
		for (byte b : MessageDigest.getInstance("SHA-256").digest(text)) hex.append(String.format("%02x", b));
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		all.write(hex.toString().getBytes(StandardCharsets.US_ASCII));
		all.write(text);
		return all.toByteArray();
	}

	static void serve(Socket socket) {
		try (socket) {
			BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
			OutputStream out = new BufferedOutputStream(socket.getOutputStream());
			for (String line; (line = in.readLine()) != null; ) {
				String path = line.split(" ")[1];
				while (!in.readLine().isEmpty()) ;
				byte[] body = body(path);
				out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
				out.write(body);
				out.flush();
			}
		} catch (IOException e) {
			// the client is gone
		} catch (Exception e) {
			System.out.println("wrong: " + e);
		}
	}

	public static void main(String[] arguments) throws Exception {
		ServerSocket listener = new ServerSocket(Integer.parseInt(arguments[0]), 64, InetAddress.getByName("127.0.0.1"));
		Thread naps = new Thread(() -> {
			try {
				while (true) {
					long began = System.nanoTime();
					Thread.sleep(20);
					if (System.nanoTime() - began < 19_000_000) System.out.println("wrong: a sleep was too short");
				}
			} catch (InterruptedException e) {
				System.out.println("wrong: " + e);
			}
		});
		naps.setDaemon(true);
		naps.start();
		while (true) {
			Socket socket = listener.accept();
			new Thread(() -> serve(socket)).start();
		}
	}
}
