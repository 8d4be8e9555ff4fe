import { Worker } from 'node:worker_threads';

const room = 16_384;

/**
 * In a separate thread, because an endless loop blocks everything in this one. It measures CPU time: a loop takes all
 * it can get, while a busy machine lets the process wait.
 */
const thread = `
const { workerData: { shared, withinMs } } = require('node:worker_threads');
const counter = new Int32Array(shared, 0, 2);
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let [seen, usedThen] = [Atomics.load(counter, 0), used()];
for (const never = new Int32Array(new SharedArrayBuffer(4)); ; Atomics.wait(never, 0, 0, 1000)) {
  const noted = Atomics.load(counter, 0);
  if (noted !== seen) [seen, usedThen] = [noted, used()];
  if (used() - usedThen < withinMs) continue;
  const said = Buffer.from(shared, 8, Atomics.load(counter, 1)).toString();
  require('node:fs').writeSync(2, 'Nothing has gone on for ' + withinMs + ' ms. Under way last: ' + said + '\\n');
  process.kill(process.pid, 'SIGKILL');
}`;

/**
 * Ends the process, and reports its last note, if nothing was noted for this long: nothing else stops an endless loop.
 */
export function watchdog(withinMs: number) {
  const shared = new SharedArrayBuffer(8 + room);
  const counter = new Int32Array(shared, 0, 2);
  const worker = new Worker(thread, { eval: true, workerData: { shared, withinMs } });
  const recent: string[] = [];
  return {
    note(what: string) {
      recent.push(what.slice(0, 500));
      if (recent.length > 10) recent.shift();
      const lastLines = Buffer.from(recent.join(' | ')).subarray(0, room);
      new Uint8Array(shared, 8).set(lastLines);
      Atomics.store(counter, 1, lastLines.length);
      Atomics.add(counter, 0, 1);
    },
    stop: () => worker.terminate(),
  };
}
