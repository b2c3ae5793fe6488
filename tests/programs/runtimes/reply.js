// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that write: to a file, to a socket, and in another thread.
const fs = require('fs'), net = require('net'), { Worker, isMainThread } = require('worker_threads');
const nowhere = fs.openSync('/dev/null', 'w');

function note(text) {
	fs.writeSync(nowhere, text);
}

function inThread() {
	note('from a thread');
}

const answer = (socket) => {
	socket.write('pong');
};

if (!isMainThread) {
	inThread();
} else {
	note('begin');
	const server = net.createServer((socket) => socket.on('data', () => answer(socket)));
	server.listen(0, '127.0.0.1', () => {
		const client = net.connect(server.address().port, '127.0.0.1', () => client.write('ping'));
		client.on('data', () => {
			client.end();
			server.close();
			new Worker(__filename);
		});
	});
}
