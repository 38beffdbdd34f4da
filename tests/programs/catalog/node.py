# SPDX-License-Identifier: MIT
"""node.py - compiled code, WebAssembly, garbage, threads and children of node."""
import os

from program import Program, write

SCRIPT = r"""
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { fork, spawnSync } = require('child_process');
const zlib = require('zlib'), crypto = require('crypto');

const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);

function sieve(n) {
  const out = new Uint8Array(n + 1);
  let count = 0;
  for (let i = 2; i <= n; i++) {
    if (out[i]) continue;
    count++;
    for (let j = 2 * i; j <= n; j += i) out[j] = 1;
  }
  return count;
}

function garbage(n) {
  let kept = [];
  for (let i = 0; i < n; i++) {
    kept.push({ i, text: 'x' + i });
    if (kept.length > 1000) kept = [];
  }
  return kept.length;
}

// (func (export "sum") (param i32) (result i32)): n + (n - 1) + ... + 1
const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 115, 117, 109, 0,
  0, 10, 35, 1, 33, 1, 1, 127, 2, 64, 3, 64, 32, 0, 69, 13, 1, 32, 1, 32, 0, 106, 33, 1, 32, 0, 65, 1, 107, 33, 0, 12, 0, 11, 11,
  32, 1, 11]);

function inThread(n) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: n });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}

async function main() {
  console.log('compiled', fib(30), sieve(2000000), garbage(500000));
  const { instance } = await WebAssembly.instantiate(wasm);
  console.log('wasm', instance.exports.sum(50000000));
  console.log('threads', (await Promise.all([24, 25, 26].map(inThread))).join());
  const child = fork(__filename, ['child']);
  child.send(20);
  console.log('child', await new Promise(resolve => child.on('message', resolve)),
    await new Promise(resolve => child.on('exit', resolve)));
  console.log('shell', spawnSync('sh', ['-c', 'echo said; exit 3']).status);
  const packed = zlib.deflateSync(Buffer.alloc(1 << 22, 'abc'));
  console.log('packed', crypto.createHash('sha256').update(packed).digest('hex'));
  try { null.nothing; } catch (error) { console.log(error.name); }
  let depth = 0;
  const deep = () => { depth++; deep(); };
  try { deep(); } catch (error) { console.log(error.name, depth > 1000); }
  console.error('an error');
  process.exitCode = 7;
}

if (process.argv[2] === 'child')
  process.on('message', n => { process.send(fib(n)); process.disconnect(); });
else if (isMainThread)
  main();
else
  parentPort.postMessage(fib(workerData));
"""


class Node(Program):
    name = "node"
    what = "compiled code, WebAssembly, garbage, threads, children"
    packages = ("nodejs",)
    version_command = ("node", "--version")
    objects = ("node", "[anon]")

    def prepare(self, given):
        write(os.path.join(given, "script.js"), SCRIPT)

    def command(self, given):
        return ["node", os.path.join(given, "script.js")]
