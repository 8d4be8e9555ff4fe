import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { streamText } from 'ai';
import OpenAI7, { toFile } from 'openai';
import OpenAI4 from 'openai-4';
import OpenAI5 from 'openai-5';
import OpenAI6 from 'openai-6';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { created } from '#server/testing/assistants';
import { benchText } from '#server/testing/chat';

const messages = [{ role: 'user' as const, content: 'Hello [[bench 5]]' }];

describe.each(engines)('programs with the clients that there are, on %s', (engine) => {
  let app: TestApp;
  let options: { baseURL: string; apiKey: string };
  beforeAll(async () => {
    app = await startApp(engine);
    const ada = await app.withKey('ada');
    await created(ada, { name: 'Tutor' });
    const { token } = await newToken(ada);
    options = { baseURL: `${app.url}/v1`, apiKey: token };
  });
  afterAll(() => app.stop());

  // The helpers are the same in all of them, but not their types.
  const asked = { model: 'gpt-4o', messages };
  const official = [
    () => {
      const client = new OpenAI4({ ...options, maxRetries: 0 });
      return { client, answer: () => client.beta.chat.completions.stream(asked).finalContent() };
    },
    () => {
      const client = new OpenAI5({ ...options, maxRetries: 0 });
      return { client, answer: () => client.chat.completions.stream(asked).finalContent() };
    },
    () => {
      const client = new OpenAI6({ ...options, maxRetries: 0 });
      return { client, answer: () => client.chat.completions.stream(asked).finalContent() };
    },
    () => {
      const client = new OpenAI7({ ...options, maxRetries: 0 });
      return { client, answer: () => client.chat.completions.stream(asked).finalContent() };
    },
  ];
  const versions = ['4.104.0', '5.23.2', '6.49.0', '7.57.0'].map(
    (version, index) => [version, official[index]] as const,
  );

  test.each(versions)('the official one, %s, streams answers, lists models and uploads', async (version, make) => {
    if (!make) throw new Error('no such client');
    const { client, answer } = make();
    expect(await answer()).toBe(benchText(5));

    const names: string[] = [];
    for await (const { id } of await client.models.list()) names.push(id);
    expect(names).toEqual(expect.arrayContaining(['Tutor@roster', 'gpt-4o']));

    const made = await client.files.create({
      file: await toFile(Buffer.from('Hello'), `${version}.txt`),
      purpose: 'assistants',
    });
    expect(made).toMatchObject({ object: 'file', bytes: 5, filename: `${version}.txt`, purpose: 'assistants' });
    expect(await (await client.files.content(made.id)).text()).toBe('Hello');
  });

  test('LangChain answers at once and in pieces', async () => {
    const { baseURL, apiKey } = options;
    const model = new ChatOpenAI({ model: 'gpt-4o', apiKey, configuration: { baseURL }, maxRetries: 0 });
    const question = [new HumanMessage('Hello [[bench 5]]')];
    expect((await model.invoke(question)).content).toBe(benchText(5));
    let text = '';
    for await (const { content } of await model.stream(question)) text += String(content);
    expect(text).toBe(benchText(5));
  });

  test('the AI SDK answers in pieces', async () => {
    const provider = createOpenAI(options);
    const { textStream } = streamText({ model: provider.chat('gpt-4o'), messages, maxRetries: 0 });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe(benchText(5));
  });
});
