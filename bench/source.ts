// The provider simulator in a separate process with a tap: it records when each numbered token is written, on the clock
// that all processes share. Roster makes its own events of what arrives, so the simulator's `sent_at` does not pass
// through it; the tap reports the same time for every route of a token.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSimulator } from '../simulator/src/simulator.ts';
import { now } from './clock.ts';

/** When token n was written, by API key. Every stream of the benchmark has its own key. */
let written: Record<string, number[]> = {};

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  if (request.method !== 'POST' || !request.url?.startsWith('/v1/')) return;
  const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const write: (chunk: unknown) => boolean = response.write.bind(response);
  response.write = (chunk: unknown) => {
    if (typeof chunk === 'string' && chunk.includes('"sent_at":')) note(key, chunk);
    return write(chunk);
  };
});

function note(key: string, frame: string) {
  const at = frame.indexOf('" t');
  const token = Number(frame.slice(at + 3, at + 7));
  const moments = written[key] ?? [];
  moments[token] = now();
  written[key] = moments;
}

const simulator = createSimulator({ port: Number(process.env.SIMULATOR_PORT), tokenDelayMs: 0 });
await simulator.listen();
process.send?.('ready');
process.on('message', () => {
  process.send?.({ written });
  written = {};
});
process.on('disconnect', () => process.exit(0));
