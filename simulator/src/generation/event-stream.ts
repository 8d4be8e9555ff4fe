import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Call } from '../http/call.ts';
import { wait } from './pacing.ts';

const PRESSED_BYTES = 1_000_000;
const FRAGMENT_BYTES = 7;

/** Server-sent events written straight to the connection: 200 streams must not slow down the benchmark's machine. */
export class EventStream {
  readonly #raw: ServerResponse;
  readonly #call: Call;
  readonly #fragments: boolean;
  #held: Buffer[] = [];

  constructor(reply: FastifyReply, fragments = false) {
    this.#call = reply.request.call;
    this.#fragments = fragments;
    reply.hijack();
    this.#raw = reply.raw;
    this.#call.entry.status = 200;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) this.#raw.setHeader(name, value);
    }
    this.#raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
    this.#raw.flushHeaders();
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  write(frame: string): void {
    if (this.signal.aborted) return;
    if (this.#fragments) this.#held.push(Buffer.from(frame));
    else this.#raw.write(frame);
  }

  pressed = (): Promise<void> | null => {
    if (this.#raw.writableLength < PRESSED_BYTES) return null;
    return new Promise((resolve) => {
      this.#raw.once('drain', resolve);
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  };

  /** Pieces of seven bytes, each in its own packet, cut events and characters in two. */
  async #flushFragments(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    for (let at = 0; at < bytes.length && !this.signal.aborted; at += FRAGMENT_BYTES) {
      this.#raw.write(bytes.subarray(at, at + FRAGMENT_BYTES));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async end(): Promise<void> {
    await this.#flushFragments();
    if (!this.signal.aborted) this.#raw.end();
  }

  /** Closes the connection like a broken network, after everything written has left. */
  async drop(): Promise<void> {
    await this.#flushFragments();
    this.#call.broken = true;
    await new Promise((resolve) => setImmediate(resolve));
    this.#raw.socket?.destroySoon();
  }

  /** Stays silent until the client gives up. */
  async silence(): Promise<void> {
    await this.#flushFragments();
    while (!this.signal.aborted) await wait(60_000, this.signal);
  }
}
