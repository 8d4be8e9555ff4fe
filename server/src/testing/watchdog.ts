import { Worker } from 'node:worker_threads';

const room = 16_384;

/** In a thread of its own, because what never ends lets nothing else in this one run. */
const thread = `
const { workerData: { shared, withinMs } } = require('node:worker_threads');
const counter = new Int32Array(shared, 0, 2);
for (;;) {
  const before = Atomics.load(counter, 0);
  if (Atomics.wait(counter, 0, before, withinMs) !== 'timed-out') continue;
  const said = Buffer.from(shared, 8, Atomics.load(counter, 1)).toString();
  require('node:fs').writeSync(2, 'Nothing has gone on for ' + withinMs + ' ms. Under way last: ' + said + '\\n');
  process.kill(process.pid, 'SIGKILL');
}`;

/** Ends the process, and says what it was at, where nothing was noted for so long: a loop without an end answers to nothing else. */
export function watchdog(withinMs: number) {
  const shared = new SharedArrayBuffer(8 + room);
  const counter = new Int32Array(shared, 0, 2);
  const worker = new Worker(thread, { eval: true, workerData: { shared, withinMs } });
  const recent: string[] = [];
  return {
    note(what: string) {
      recent.push(what.slice(0, 500));
      if (recent.length > 10) recent.shift();
      const said = Buffer.from(recent.join(' | ')).subarray(0, room);
      new Uint8Array(shared, 8).set(said);
      Atomics.store(counter, 1, said.length);
      Atomics.add(counter, 0, 1);
      Atomics.notify(counter, 0);
    },
    stop: () => worker.terminate(),
  };
}
