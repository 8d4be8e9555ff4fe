import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';
import { chunk, completed, delta, event, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';

describe.each(engines)('streams from a provider, byte by byte, on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let app: TestApp;
  let ada: HttpClient;
  let script: (path: string) => RawAnswer;
  beforeAll(async () => {
    provider = await startRawProvider((path) => script(path));
    app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url } });
    ada = await app.withKey('ada');
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  /** The thread has a name, so no title is generated. */
  async function answerOf(...packets: (string | Buffer)[]) {
    script = () => ({ packets });
    return (await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Go on')).answer;
  }

  test('keeps text that comes in one packet with an error', async () => {
    const error = event('error', { code: 'server_error', message: 'Overloaded', param: null });
    const answer = await answerOf(`${delta('Some ')}${delta('words')}${error}`);
    expect(answer).toMatchObject({ state: 'failed', text: 'Some words', error: { code: 'provider_unavailable' } });
    const broken = await answerOf(`${delta('Others')}event: response.output_text.delta\ndata: {"delta":"brok\n\n`);
    expect(broken).toMatchObject({ state: 'failed', text: 'Others', error: { code: 'provider_broke_off' } });
  });

  test('reports an answer without text', async () => {
    const tool = { type: 'function_call', name: 'look_up', arguments: '{}', call_id: 'call_1' };
    const ended = (reason?: string) =>
      event('response.completed', { response: { usage: null, incomplete_details: reason ? { reason } : null } });
    for (const packets of [
      [completed()],
      [delta(' \n'), completed()],
      [event('response.output_item.done', { item: tool }), completed()],
      [event('response.reasoning_summary_text.delta', { delta: 'Let me think.' }), completed()],
    ]) {
      const answer = await answerOf(...packets);
      expect([answer.state, answer.notes]).toEqual(['complete', [expect.stringMatching(/stopped without writing/)]]);
    }
    const cut = await answerOf(ended('max_output_tokens'));
    expect(cut.notes).toEqual([expect.stringMatching(/reached its limit before it wrote anything/)]);
    expect((await answerOf(ended('content_filter'))).notes).toEqual([expect.stringMatching(/content filter/)]);
    expect((await answerOf(delta('Yes'), completed())).notes).toEqual([]);
  });

  test('keeps text whose event is the last thing that comes', async () => {
    const unfinished =
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":" end"}\n';
    const answer = await answerOf(delta('The'), unfinished);
    expect(answer).toMatchObject({ state: 'failed', text: 'The end', error: { code: 'provider_broke_off' } });
  });

  test('shows what the provider says about a failure, even without a code or parameter', async () => {
    const failed = await answerOf(
      delta('A'),
      event('response.failed', { response: { error: { message: 'No more' } } }),
    );
    expect(failed.error?.message).toMatch(/No more$/);
    const error = await answerOf(event('error', { error: { type: 'x', message: 'Neither' } }));
    expect(error.error?.message).toMatch(/Neither$/);
  });

  test('survives a character that a database cannot store', async () => {
    const answer = await answerOf(delta('before\0'), delta('after'), completed());
    expect(answer).toMatchObject({ state: 'complete', text: 'before\uFFFDafter' });
    const error = event('error', { code: 'server_error', message: 'bad\0words', param: null });
    expect((await answerOf(delta('\0x'), error)).state).toBe('failed');
  });

  test('delivers whole characters that packets or events cut in two', async () => {
    const bytes = Buffer.from(`${delta('Grüße 🦜')}${completed()}`);
    const answer = await answerOf(...Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)));
    expect(answer).toMatchObject({ state: 'complete', text: 'Grüße 🦜' });
    const [first, second] = ['\ud83e', '\udd9c'].map((half) => delta(half));
    expect((await answerOf(`${first}`, `${second}${completed()}`)).text).toBe('🦜');
    expect((await answerOf(`${first}${delta('x')}${completed()}`)).state).toBe('complete');
  });

  test('reads carriage returns, comments and events without a name by the standard', async () => {
    const answer = await answerOf(
      ': a comment\r\n\r\n',
      `data: ${JSON.stringify({ type: 'response.output_text.delta', delta: 'One' })}\r\n\r\n`,
      `id: 7\ndata:${JSON.stringify({ type: 'response.output_text.delta', delta: ' two' })}\n\n`,
      event('response.from_the_future', { delta: 'not this' }),
      'data: [DONE]\n\n',
      completed(),
    );
    expect(answer).toMatchObject({ state: 'complete', text: 'One two' });
  });

  test('takes usage where it can, and estimates it otherwise', async () => {
    const counts = { input_tokens: 12, output_tokens: 3, input_tokens_details: { cached_tokens: 4 } };
    expect((await answerOf(delta('Hi'), completed(counts))).usage).toMatchObject({
      inputTokens: 12,
      cachedTokens: 4,
      outputTokens: 3,
      reasoningTokens: 0,
      estimated: false,
    });
    const odd = { input_tokens: -5, output_tokens: '9', input_tokens_details: 'none', output_tokens_details: null };
    expect((await answerOf(delta('Hi'), completed(odd))).usage).toMatchObject({
      inputTokens: 2,
      outputTokens: 1,
      estimated: true,
    });
    expect((await answerOf(delta('Hi there'), completed())).usage).toMatchObject({ outputTokens: 2, estimated: true });
  });

  test('reports a truncated answer, even without usage', async () => {
    const response = { incomplete_details: { reason: 'max_output_tokens' } };
    script = () => ({ packets: [delta('Sho'), event('response.incomplete', { response })] });
    const { events } = await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Go on');
    expect(events.at(-1)?.event).toEqual({ type: 'finished', reason: 'length' });
  });

  test('cuts off an answer longer than a mebibyte', async () => {
    const piece = delta('x'.repeat(200_000));
    const answer = await answerOf(...Array.from({ length: 8 }, () => piece), completed());
    expect(answer.state).toBe('complete');
    expect(answer.text.length).toBeGreaterThan(1024 * 1024);
    expect(answer.text.length).toBeLessThan(1024 * 1024 + 200_001);
  });

  test('does not follow a redirect', async () => {
    script = () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' }, packets: [] });
    const before = provider.asked.length;
    const { answer } = await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Go on');
    expect(answer.error).toMatchObject({
      code: 'bad_request',
      message: 'The provider redirects to another address, which Roster does not follow. Check the base URL.',
    });
    expect(provider.asked).toHaveLength(before + 1);
  });

  test('neither reads an error page of any size into memory nor shows it', async () => {
    script = () => ({ status: 400, packets: ['<html>'.repeat(100_000)] });
    const { answer } = await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Go on');
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'provider_unavailable' } });
    expect(answer.error?.message).not.toContain('<');
  });

  describe('by chat completions', () => {
    async function completionOf(...packets: string[]) {
      script = (path) => (path === '/responses' ? { status: 404, packets: ['{}'] } : { packets });
      return (await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Go on')).answer;
    }

    test('does not take an error inside the stream for the end', async () => {
      const coded = await completionOf(
        `${words('So')}${chunk({ error: { code: 'server_error', message: 'Broken' } })}`,
      );
      expect(coded).toMatchObject({ state: 'failed', text: 'So', error: { code: 'provider_unavailable' } });
      const plain = await completionOf(words('So'), chunk({ error: { message: 'Broken' } }), 'data: [DONE]\n\n');
      expect(plain).toMatchObject({ state: 'failed', text: 'So' });
      expect(plain.error?.message).toMatch(/Broken$/);
      const text = await completionOf(words('So'), chunk({ error: 'Out of memory' }), 'data: [DONE]\n\n');
      expect(text.error?.message).toMatch(/Out of memory$/);
    });

    test('accepts an end without [DONE] once a finish reason has come', async () => {
      expect(await completionOf(words('All', 'stop'))).toMatchObject({ state: 'complete', text: 'All' });
      expect(await completionOf(words('Not all'))).toMatchObject({
        state: 'failed',
        text: 'Not all',
        error: { code: 'provider_broke_off' },
      });
    });

    test('separates reasoning', async () => {
      const thought = chunk({ choices: [{ delta: { reasoning_content: 'Hm.' } }] });
      const usage = { prompt_tokens: 5, completion_tokens: 6, completion_tokens_details: { reasoning_tokens: 2 } };
      const answer = await completionOf(
        thought,
        words('Yes', 'stop'),
        chunk({ choices: [], usage }),
        'data: [DONE]\n\n',
      );
      expect(answer).toMatchObject({ reasoning: 'Hm.', text: 'Yes', state: 'complete' });
      expect(answer.usage).toMatchObject({ inputTokens: 5, outputTokens: 6, reasoningTokens: 2, estimated: false });
    });
  });
});
