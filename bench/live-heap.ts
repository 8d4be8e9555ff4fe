// What a process holds on to: its heap after a collection, asked of its inspector. What is resident besides that is
// garbage that V8 has no reason yet to collect, and depends on when it does.
import { z } from 'zod';

const Targets = z.tuple([z.object({ webSocketDebuggerUrl: z.url() })]);
const Answer = z.object({ id: z.number(), result: z.object({ result: z.object({ value: z.number() }).optional() }) });

/** How a program is started so that `liveHeap` can ask it. */
export const inspectedOn = (port: number) => `--inspect=127.0.0.1:${port}`;

/** Bytes that are still in use after everything else was collected. */
export async function liveHeap(port: number): Promise<number> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = Targets.parse(await listed.json());
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached')), { once: true });
  });
  let last = 0;
  async function ask(method: string, params: object = {}) {
    const answered = new Promise<string>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true });
    });
    socket.send(JSON.stringify({ id: ++last, method, params }));
    return Answer.parse(JSON.parse(await answered)).result.result?.value;
  }
  // The second one takes what finalizers have let go of.
  for (let time = 0; time < 2; time++) await ask('HeapProfiler.collectGarbage');
  const used = await ask('Runtime.evaluate', { expression: 'process.memoryUsage().heapUsed' });
  socket.close();
  if (used === undefined) throw new Error('The process does not say how much it uses');
  return used;
}
