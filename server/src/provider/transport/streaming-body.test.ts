import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Secret } from '#server/security/secret';
import { createProviderHttp } from './http.ts';
import { createStreamingBody } from './streaming-body.ts';

const bytes = (length: number, fill: string) => Buffer.alloc(length, fill);

/** A sender that continues with the rest as soon as it is resumed, synchronously within that call. */
function sender(left: Buffer[]) {
  const controller = {
    isPaused: false,
    aborted: undefined as Error | undefined,
    pause() {
      controller.isPaused = true;
    },
    resume() {
      controller.isPaused = false;
      for (let chunk = left.shift(); chunk; chunk = controller.isPaused ? undefined : left.shift())
        arriving.push(chunk);
      if (!controller.isPaused && left.length === 0) arriving.end(null);
    },
    abort(reason: Error) {
      controller.aborted = reason;
      arriving.end(reason);
    },
  };
  const arriving = createStreamingBody(controller);
  return { controller, arriving };
}

test('delivers first what arrived before reading, and pauses the sender until then', () => {
  const { controller, arriving } = sender([bytes(1, 'c')]);
  arriving.push(bytes(1, 'a'));
  arriving.push(bytes(70_000, 'b'));
  expect(controller.isPaused).toBe(true);
  const signals: string[] = [];
  arriving.body.read({
    onData: (chunk) => signals.push(chunk.toString('latin1', 0, 1)),
    onEnd: () => signals.push('end'),
    onError: () => signals.push('error'),
  });
  expect(signals).toEqual(['a', 'b', 'c', 'end']);
});

test('makes the sender wait for the iterator, loses nothing, and closes the connection on exit', async () => {
  const all = Array.from({ length: 30 }, (_, index) => Buffer.from(`${index} `));
  const { controller, arriving } = sender([...all]);
  const read: string[] = [];
  for await (const chunk of arriving.body) read.push(chunk.toString());
  expect(read.join('')).toBe(Buffer.concat(all).toString());
  expect(controller.aborted).toBeUndefined();

  const endless = sender(all);
  for await (const _chunk of endless.arriving.body) break;
  expect(all.length).toBeGreaterThan(20);
  expect(endless.controller.aborted).toBeInstanceOf(Error);
});

test('rejects a reader that waits for the next chunk when the body is destroyed', async () => {
  const nothing = () => undefined;
  const { body } = createStreamingBody({ pause: nothing, resume: nothing, abort: nothing });
  const next = body[Symbol.asyncIterator]().next();
  const refused = expect(next).rejects.toThrow('Nobody reads');
  body.destroy();
  await refused;
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('counts silence only while somebody reads, and from the last packet', async () => {
  const abort = vi.fn<(reason: Error) => void>();
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: true,
    reason: null,
    abort,
    pause: () => undefined,
    resume: () => undefined,
  };
  let packet = (): void => undefined;
  const answering: Dispatcher.DispatcherComposeInterceptor = () => (_options, handler) => {
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseStart?.(controller, 200, {});
    packet = () => handler.onResponseData?.(controller, Buffer.from('a'));
    return true;
  };
  const http = createProviderHttp(
    'http://provider.invalid/v1',
    { beginsMs: 1_000, silentMs: 1_000 },
    { outgoing: answering },
  );
  await http.sendRequest({ method: 'GET', path: '/models', apiKey: new Secret('sk-test') });
  vi.advanceTimersByTime(10_000);
  expect(abort).not.toHaveBeenCalled();
  Object.assign(controller, { paused: false });
  vi.advanceTimersByTime(900);
  packet();
  vi.advanceTimersByTime(999);
  expect(abort).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(abort).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'provider_timeout' }));
  await http.close();
});
