import { describe, expect, test } from 'vitest';
import { isObject } from '#server/lib/is-object';
import { ProviderError } from '#server/provider/transport/error';
import { readEvents } from '#server/provider/transport/event-reader';
import { createStreamingBody } from '#server/provider/transport/streaming-body';
import { Secret } from '#server/security/secret';
import {
  broken,
  called,
  callsOf,
  choice,
  done,
  type ExpectedShape,
  frame,
  rows,
  say,
  stop,
} from '#server/testing/chat-shapes';
import { type ChatPiece, createChatReader } from './reader.ts';

const apiKey = new Secret('gsk_abcdefghijklmnop1234567890');

/** A body that sends these packets and then ends or breaks off. */
function bodyOf(packets: readonly (string | Buffer)[], isCut: boolean) {
  const nothing = () => undefined;
  const { body, push, end } = createStreamingBody({ abort: nothing, pause: nothing, resume: nothing });
  return {
    body,
    send() {
      for (const packet of packets) push(Buffer.from(packet));
      end(isCut ? new Error('socket hang up') : null);
    },
  };
}

/** The result of an answer as both of its consumers assemble it. */
async function read(packets: readonly (string | Buffer)[], isCut = false) {
  const output = { text: '', reasoning: '', refusal: '', images: [] as string[], links: [] as [string, string][] };
  const announced = new Map<number, { callId: string; input: string }>();
  const reader = createChatReader(apiKey, (piece: ChatPiece) => {
    switch (piece.type) {
      case 'image':
        return void output.images.push(piece.address);
      case 'link':
        return void output.links.push([piece.url, piece.title]);
      case 'call':
        return void announced.set(piece.place, { callId: piece.callId, input: '' });
      case 'arguments': {
        const call = announced.get(piece.place);
        if (call) call.input += piece.text;
        return;
      }
      default:
        output[piece.type] += piece.text;
    }
  });
  let failure: unknown;
  const { body, send } = bodyOf(packets, isCut);
  try {
    const read = readEvents(
      body,
      {
        onEvent: ({ data }) => reader.event(data),
        onWhole: reader.whole,
        onClosed: reader.closed,
        onPacket: () => undefined,
        isDone: () => reader.ending() !== undefined,
      },
      new AbortController().signal,
    );
    send();
    await read;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    failure = error.message;
  } finally {
    reader.release();
  }
  const ending = reader.ending();
  // Streamed pieces must add up to the final calls.
  if (ending) expect([...announced.values()]).toEqual(reader.calls().map(({ callId, input }) => ({ callId, input })));
  return { ...output, calls: reader.calls(), echo: reader.echo(), ending, failure };
}

function check(found: Awaited<ReturnType<typeof read>>, expected: ExpectedShape) {
  const { text = '', reasoning = '', refusal = '', images = [], links = [], reason = 'complete', failure } = expected;
  expect(found).toMatchObject({ text, reasoning, refusal, images, links });
  if (failure) expect(found).toMatchObject({ ending: undefined, failure: expect.stringMatching(failure) });
  else expect(found).toMatchObject({ failure: undefined, ending: { reason } });
  if (expected.calls) {
    expect(found.calls.map(({ name, input }) => [name, input])).toEqual(expected.calls);
    const ids = found.calls.map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{1,200}$/);
  } else if (!failure) expect(found.calls).toEqual([]);
}

describe('Chat Completions answer', () => {
  test.each(rows)('%s', async (_, events, expected) => {
    const wire = events.map(frame).join('');
    check(await read([wire]), expected);
    // Split into packets at any position, including within characters, lines and line ends.
    const bytes = Buffer.from(wire.replaceAll('\n', '\r\n'));
    for (const size of [1, 2, 3, 7, 64]) {
      const packets = Array.from({ length: Math.ceil(bytes.length / size) }, (_one, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      check(await read(packets), expected);
    }
  });

  test.each(rows.filter(([, , { failure }]) => failure === undefined))(
    'reads the same with unknown fields: %s',
    async (_, events, expected) => {
      const odd = { x_new: { deep: [1, null] }, logprobs: 12, audio: 'odd', created: '2026', usage: 'none' };
      const grown = events.map((event) => {
        if (!isObject(event)) return event;
        const choices = Array.isArray(event.choices) ? event.choices : [];
        const all = choices.filter(isObject).map((one) => ({
          ...odd,
          ...one,
          ...(isObject(one.delta) && { delta: { ...odd, ...one.delta } }),
        }));
        return { ...odd, ...event, choices: all };
      });
      check(await read([grown.map(frame).join('')]), expected);
    },
  );

  test('treats a lost connection as an end only after a finish reason', async () => {
    expect(await read([frame(say('Yes', 'stop'))], true)).toMatchObject({
      text: 'Yes',
      ending: { reason: 'complete' },
    });
    for (const reason of [null, '', 'null'])
      expect(await read([frame(say('Yes', reason))], true)).toMatchObject({ text: 'Yes', ending: undefined });
    expect(await read([frame(say('Yes', 'stop')) + frame(say('more'))], true)).toMatchObject({ ending: undefined });
  });

  test('finds the same reasoning between tags, wherever it is cut', async () => {
    const whole = ' <think> I think: </thin, or <think>?\n</think>\n\n <think>Yes</think>';
    for (let first = 0; first <= whole.length; first++)
      for (const second of [first + 1, first + 4, whole.length]) {
        const pieces = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)];
        const found = await read([[...pieces.map((piece) => say(piece)), stop, done].map(frame).join('')]);
        expect([found.reasoning, found.text]).toEqual(['I think: </thin, or <think>?\n', '<think>Yes</think>']);
      }
  });

  test.each<[name: string, content: string, reasoning: string, text: string]>([
    ['of DeepSeek', 'Okay, the user asks.\n\nSo yes.\n</think>\n\nYes', 'Okay, the user asks.\n\nSo yes.\n', 'Yes'],
    ['on the line of the thought', 'So yes.</think>Yes', 'So yes.', 'Yes'],
    ['without thoughts', '\n\n</think>\n\nYes', '', 'Yes'],
    ['without an answer', 'Hm.\n</think>', 'Hm.\n', ''],
    ['in Chinese', '好的。</think>\n\n是', '好的。', '是'],
    ['with another name', 'Hm.\n</thinking>\nYes', 'Hm.\n', 'Yes'],
    ['twice', 'Hm.\n</think>\nA\n</think>\nB', 'Hm.\n', 'A\n</think>\nB'],
    ['with a mention before it', 'Is it `</think>`?\n</think>\nYes', 'Is it `</think>`?\n', 'Yes'],
    ['that is spoken about', 'Close it with </think> or `</think>`.', '', 'Close it with </think> or `</think>`.'],
    ['in code', 'Like so:\n```\n<a>\n</think>\n```\nDone', '', 'Like so:\n```\n<a>\n</think>\n```\nDone'],
    ['after code', 'Try:\n```\nx\n```\n</think>\nYes', 'Try:\n```\nx\n```\n', 'Yes'],
    ['behind an opening one', 'Use <think> and\n</think>\nso.', '', 'Use <think> and\n</think>\nso.'],
    ['that is none', 'Yes\n</thinker>', '', 'Yes\n</thinker>'],
  ])(
    'finds reasoning with only a closing tag, %s, in an answer that comes whole',
    async (_, content, reasoning, text) => {
      const json = JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });
      for (const packets of [[json], [...json], [frame(say(content, 'stop'))]]) {
        const found = await read(packets);
        expect([found.reasoning, found.text]).toEqual([reasoning, text]);
      }
    },
  );

  test('ignores a closing tag after text of the stream was delivered', async () => {
    const content = 'So yes.\n</think>\n\nYes';
    for (let cut = 1; cut < content.length; cut++) {
      const pieces = [content.slice(0, cut), content.slice(cut)];
      const found = await read([[...pieces.map((piece) => say(piece)), stop, done].map(frame).join('')]);
      // No text is lost or repeated, and no reasoning starts after the answer.
      expect([found.reasoning, found.text]).toEqual(
        cut >= 'So yes.\n</think>'.length ? ['So yes.\n', 'Yes'] : ['', content],
      );
    }
    const nothing = '\n\n</think>\n\nYes';
    for (let cut = 1; cut < nothing.length; cut++) {
      const pieces = [nothing.slice(0, cut), nothing.slice(cut)];
      const found = await read([[...pieces.map((piece) => say(piece)), stop, done].map(frame).join('')]);
      expect([found.reasoning, found.text]).toEqual(['', 'Yes']);
    }
  });

  test('reads an answer that comes whole instead of as a stream', async () => {
    const message = {
      role: 'assistant',
      content: '<think>Hm.</think>Yes',
      tool_calls: [called('f', { x: 1 }, { id: 'a' })],
    };
    const usage = { prompt_tokens: 4, completion_tokens: 5 };
    for (const finish_reason of ['stop', null, undefined]) {
      const json = JSON.stringify({
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
      for (const packets of [[json], [`\n${json}\n`], [...json]]) {
        const found = await read(packets);
        check(found, { text: 'Yes', reasoning: 'Hm.', calls: [['f', '{"x":1}']] });
        expect(found.ending?.usage).toMatchObject({ inputTokens: 4, outputTokens: 5 });
      }
    }
    const big =
      '{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"id":12345678901234567890}}}]}}]}';
    expect((await read([big])).calls).toMatchObject([{ input: '{"id":12345678901234567890}' }]);
    const cut = JSON.stringify({ choices: [{ message: { content: 'Sho' }, finish_reason: 'length' }] });
    check(await read([cut]), { text: 'Sho', reason: 'length' });
  });

  test.each([
    ['an error', { error: { message: broken } }, new RegExp(broken)],
    ['a list of errors', [{ error: { message: broken } }], new RegExp(broken)],
    ['a detail', { detail: broken }, new RegExp(broken)],
    ['no choices', { object: 'list', data: [] }, /could not be read/],
    ['empty choices', { choices: [] }, /could not be read/],
  ])('rejects JSON instead of a stream that is %s', async (_, value, failure) => {
    expect(await read([JSON.stringify(value)])).toMatchObject({
      ending: undefined,
      failure: expect.stringMatching(failure),
    });
    expect(await read(['{"choices":[{"mess'])).toMatchObject({ failure: expect.stringMatching(/could not be read/) });
  });

  test('keeps the key out of every failure', async () => {
    const key = apiKey.reveal();
    for (const event of [{ error: `key ${key} is out of credit` }, say('', `error ${key}`)]) {
      const { failure } = await read([frame(event) + frame(done)]);
      expect(failure).toEqual(expect.any(String));
      expect(failure).not.toContain(key);
    }
  });

  test('keeps what a provider wants back with a call', async () => {
    const signature = { google: { thought_signature: 'abc' } };
    const events = [
      choice({ reasoning_content: 'Let me' }),
      choice({ reasoning_content: ' see', reasoning_details: [{ type: 'reasoning.text', text: 'Let me', index: 0 }] }),
      choice({
        reasoning_details: [
          { type: 'reasoning.text', text: ' see', index: 0, signature: 's' },
          { type: 'reasoning.encrypted', data: 'd', index: 1 },
        ],
      }),
      callsOf([{ ...called('f', '{}', { index: 0, id: 'a' }), extra_content: signature }]),
      stop,
      done,
    ];
    const found = await read([events.map(frame).join('')]);
    expect(found.calls).toMatchObject([{ callId: 'a', extra: signature }]);
    expect(found.echo).toEqual({
      reasoning_content: 'Let me see',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Let me see', index: 0, signature: 's' },
        { type: 'reasoning.encrypted', data: 'd', index: 1 },
      ],
    });
    expect((await read([frame(say('<think>Hm.</think>Yes', 'stop'))])).echo).toBeUndefined();
  });
});

test('takes the usage from the last event that reports it', async () => {
  const figures = (tokens: number) => ({ prompt_tokens: 9, completion_tokens: tokens });
  const each = [1, 2, 3].map((tokens) => ({ ...say('x'), usage: figures(tokens) }));
  const found = await read([[...each, { ...stop, usage: null }, done].map(frame).join('')]);
  expect(found.ending?.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
  const late = await read([[say('x', 'stop'), { x_groq: { usage: figures(7) } }, done].map(frame).join('')]);
  expect(late.ending?.usage).toMatchObject({ outputTokens: 7 });
  expect((await read([[say('x', 'stop'), { usage: {} }, done].map(frame).join('')])).ending?.usage).toBeNull();
});
