import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { readEvents } from '#server/testing/events';

const [first, second] = [
  { url: 'https://example.org/first', title: 'The first page' },
  { url: 'https://example.com/second?page=2', title: '' },
];

describe.each(engines)('web pages that an answer cites on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  test('have positions in the message, in events and in both exports', async () => {
    const { visitor } = await app.someone('reader');
    const assistantId = await createAssistant(visitor, { tools: { webSearch: {} } });
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    const { run } = await ask(app, visitor, threadId, '[[web]] Where does it rain?');
    const { text, links = [], calls } = await messageOf(visitor, threadId, run.messageId);
    expect(calls?.map(({ kind, state, input }) => [kind, state, input])).toEqual([
      ['web_search', 'done', '["Where does it rain?"]'],
    ]);
    const [{ at: middle = 0 } = {}] = links;
    expect(links).toEqual([
      { ...first, at: middle },
      { ...second, at: text.length },
      { ...first, at: text.length },
    ]);
    expect(middle).toBeGreaterThan(0);
    expect(middle).toBeLessThan(text.length);

    const events = await readEvents(app, visitor, run.id);
    expect(events.flatMap(({ event }) => (event.type === 'link' ? [event.url] : []))).toEqual(
      links.map(({ url }) => url),
    );
    const path = `/api/threads/${threadId}/export`;
    const markdown = (await visitor.get(`${path}?format=md`)).body;
    expect(markdown).toContain(
      `${text.slice(0, middle)}[^1]${text.slice(middle)}[^2][^1]\n\n[^1]: The first page, <${first.url}>\n[^2]: <${second.url}>`,
    );
    const { body } = await visitor.get(`${path}?format=json`);
    expect(body.messages.at(-1).links).toEqual(links);
  });

  test('appear while the answer is written, and stay if it is stopped or fails', async () => {
    const { visitor } = await app.someone('reader2');
    const assistantId = await createAssistant(visitor, { tools: { webSearch: {} } });
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    const { run } = await sendMessage(visitor, threadId, '[[web]] [[tokens 40]] [[hang 30]]');
    const written = await until('The first citation', async () => {
      const message = await messageOf(visitor, threadId, run.messageId);
      return message.links !== undefined && message;
    });
    expect(written.state).toBe('running');
    expect(written.links?.map(({ url }) => url)).toEqual([first.url]);
    await visitor.post(`/api/runs/${run.id}/stop`);
    const stopped = await until('The end', async () => {
      const message = await messageOf(visitor, threadId, run.messageId);
      return message.state === 'stopped' && message;
    });
    expect(stopped.links).toEqual(written.links);
    const failed = await ask(app, visitor, threadId, '[[web]] [[tokens 40]] [[error 30]]');
    const { state, links } = await messageOf(visitor, threadId, failed.run.messageId);
    expect([state, links?.map(({ url }) => url)]).toEqual(['failed', [first.url]]);
  });
});
