import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines } from '#server/testing/app';
import { killableInstallation, registered } from '#server/testing/crash';

const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }];
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const quick = { pollIntervalMs: 50 };

test.each(engines)(
  'resumes a waiting run after its process was killed, and fails one being written, on %s',
  async (engine) => {
    const { server } = await killableInstallation(engine);
    await server.start();
    const { token } = await newToken(await registered(server, 'ada'));
    const client = new OpenAI({ apiKey: token, baseURL: `${server.url}/v1`, maxRetries: 0 });
    const { id: assistant_id } = await client.beta.assistants.create({ model: 'gpt-4o', tools });
    const waiting = await client.beta.threads.createAndRunPoll(
      { assistant_id, thread: saying('[[call]] Rain?') },
      quick,
    );
    expect(waiting.status).toBe('requires_action');
    const stream = client.beta.threads.createAndRunStream({
      assistant_id,
      thread: saying('Hello [[bench 400]] [[delay 50]]'),
    });
    let written: OpenAI.Beta.Threads.Run | undefined;
    const broken = (async () => {
      for await (const { event, data } of stream) {
        if (event === 'thread.run.created') written = data;
        if (event === 'thread.message.delta') await server.kill();
      }
    })();
    await broken.catch(() => undefined);
    await server.start();
    const { id = '', thread_id = '' } = written ?? {};
    // Immediate, unless this PostgreSQL has just started: no process counts as dead in its first seconds.
    await expect
      .poll(() => client.beta.threads.runs.retrieve(id, { thread_id }))
      .toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
    const [call] = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
    const ended = await client.beta.threads.runs.submitToolOutputsAndPoll(
      waiting.id,
      { thread_id: waiting.thread_id, tool_outputs: [{ tool_call_id: call?.id ?? '', output: 'dry' }] },
      quick,
    );
    expect(ended.status).toBe('completed');
  },
);
