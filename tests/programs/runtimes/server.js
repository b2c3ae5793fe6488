// SPDX-License-Identifier: GPL-3.0-or-later
// An HTTP server under load from its own process; compression, hashes, worker threads, errors
// that the engine finds by its own means, a child process, a signal. Usage: node server.js REQUESTS
const http = require('http'), zlib = require('zlib'), crypto = require('crypto');
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) {
	let sum = 0;
	for (let i = 0; i < 2e6; i++) sum = (sum * 31 + i) % 1000003;
	parentPort.postMessage(sum);
	return;
}
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const server = http.createServer((req, res) => {
	let body = [];
	req.on('data', (c) => body.push(c));
	req.on('end', () => zlib.gzip(Buffer.concat(body), (e, z) => {
		res.setHeader('x-hash', crypto.createHash('sha256').update(z).digest('hex'));
		res.end(JSON.stringify({ n: z.length, u: req.url }));
	}));
});
let done = 0, total = 0, N = Number(process.argv[2]);
function one(i) {
	const r = http.request({ agent, port: server.address().port, path: '/' + i, method: 'POST' }, (res) => {
		let t = '';
		res.on('data', (c) => (t += c));
		res.on('end', () => {
			total += JSON.parse(t).u.length;
			if (++done === N) finish();
			else if (done + 16 <= N) one(done + 15);
		});
	});
	r.end(Buffer.alloc(3000 + (i % 7), 'abc' + i));
}
function finish() {
	const workers = [1, 2].map(() => new Promise((ok) => new Worker(__filename).on('message', ok)));
	Promise.all(workers).then((sums) => {
		console.log(done, total, sums.join(' '));
		try { null.x } catch (e) { console.log(e.constructor.name); }
		try { (function f() { f(); })(); } catch (e) { console.log(e.constructor.name); }
		const c = require('child_process').spawnSync(process.execPath, ['-e', 'console.log(6*7); process.exit(5)']);
		console.log(String(c.stdout).trim(), c.status);
		process.on('SIGUSR2', () => { console.log('usr2'); agent.destroy(); server.close(() => process.exit(3)); });
		process.kill(process.pid, 'SIGUSR2');
	});
}
server.listen(0, '127.0.0.1', () => { for (let i = 0; i < 16; i++) one(i); });
