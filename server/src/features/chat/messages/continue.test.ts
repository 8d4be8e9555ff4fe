import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import {
  ask,
  asksOf,
  benchText,
  clientId,
  forgetAsks,
  messageOf,
  newThread,
  regenerated,
  sendMessage,
  until,
} from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, notesOf, openEvents, readEvents, textOf, upTo } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import { type FakeToolRegistry, fakeToolRegistry } from '#server/testing/tool-box';

describe.each(engines)('continuing an answer on %s', (engine) => {
  let app: TestApp;
  let tools: FakeToolRegistry;
  let ada: HttpClient;
  beforeAll(async () => {
    tools = fakeToolRegistry();
    app = await startApp(engine, { tools: { box: tools.box, callMs: 2_000 } });
    tools.offer('clock', { mayRepeat: true }, () => tools.said('Noon.'));
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const thread = (more: Record<string, unknown> = {}) => newThread(ada, { title: 'Named', ...more });
  const post = (visitor: HttpClient, messageId: number, id = clientId()) =>
    visitor.post(`/api/messages/${messageId}/continue`, { clientId: id });
  const usagesOf = (runId: number) =>
    withDatabase(app, (db) =>
      db
        .selectFrom('usage_records')
        .select(['purpose', 'run_id', 'step_of', 'step', 'output_tokens', 'cost_usd'])
        .where((eb) => eb.or([eb('run_id', '=', runId), eb('step_of', '=', runId)]))
        .orderBy('id')
        .execute(),
    );

  async function resume(threadId: number, messageId: number) {
    const { status, body } = await post(ada, messageId);
    expect([status, body]).toMatchObject([202, { message: { id: messageId }, run: { messageId } }]);
    const events = await readEvents(app, ada, body.run.id);
    return { events, run: body.run, answer: await messageOf(ada, threadId, messageId) };
  }

  test('completes an answer that was cut off, in the same message', async () => {
    await forgetAsks(app);
    const threadId = await thread();
    const { answer: cut, run, events: before } = await ask(app, ada, threadId, '[[bench 40]] [[incomplete 15]] Go on');
    expect(cut).toMatchObject({ state: 'complete', endedEarly: 'length', text: benchText(15) });
    expect(lastOf(before)).toEqual({ type: 'finished', reason: 'length' });
    const { answer, events, run: again } = await resume(threadId, cut.id);
    expect(again.id).toBe(run.id);
    expect(answer).toMatchObject({ state: 'complete', endedEarly: null, continued: true, text: benchText(40) });
    expect(answer.siblings).toEqual(cut.siblings);
    expect(textOf(events)).toBe(benchText(40));
    expect(events.map(({ number }) => number)).toEqual(upTo(events.length));
    // A reader that has seen the first part only gets the rest.
    expect(events.slice(0, before.length - 1)).toEqual(
      before.slice(0, -1).map((event) => ({
        ...event,
        ...(event.event.type === 'usage' && { event: events[event.number - 1]?.event }),
      })),
    );
    expect(textOf(await readEvents(app, ada, run.id, { after: before.length - 1 }))).toBe(
      benchText(40).slice(benchText(15).length),
    );
    const [, request] = await asksOf(app);
    expect(request?.body.input.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(request?.body.input[1])).toContain(benchText(15));
    expect(JSON.stringify(request?.body.input[2])).toContain('Continue your last answer exactly where it stopped.');
  });

  test('counts each request once, and their sum as the usage of the answer', async () => {
    const threadId = await thread();
    const { answer: cut, run } = await ask(app, ada, threadId, '[[bench 40]] [[incomplete 15]] Count it');
    const { answer } = await resume(threadId, cut.id);
    const usages = await usagesOf(run.id);
    expect(usages).toMatchObject([
      { purpose: 'chat', run_id: run.id, step_of: null },
      { purpose: 'continuation', run_id: null, step_of: run.id },
    ]);
    const sum = (column: 'output_tokens' | 'cost_usd') => usages.reduce((all, usage) => all + (usage[column] ?? 0), 0);
    expect(cut.usage?.outputTokens).toBe(usages[0]?.output_tokens);
    expect(answer.usage?.outputTokens).toBe(sum('output_tokens'));
    expect(answer.usage?.costUsd).toBeCloseTo(sum('cost_usd'), 12);
  });

  test('drops what the model repeats, and names a content filter', async () => {
    const threadId = await thread();
    const { answer: cut } = await ask(app, ada, threadId, '[[bench 30]] [[filter 10]] [[repeat 6]] Go on');
    expect(cut).toMatchObject({ endedEarly: 'content_filter', text: benchText(10) });
    expect((await resume(threadId, cut.id)).answer).toMatchObject({ endedEarly: null, text: benchText(30) });
  });

  test('continues a stopped answer, which can be stopped again', async () => {
    const threadId = await thread();
    const { run } = await sendMessage(ada, threadId, '[[bench 50]] [[hang 20]] Stop me twice');
    for (let time = 0; time < 2; time++) {
      // All text before it hangs may have arrived already.
      const before = time === 0 ? 0 : (await messageOf(ada, threadId, run.messageId)).text.length;
      if (time > 0) expect((await post(ada, run.messageId)).status).toBe(202);
      const reader = await openEvents(app, ada, run.id);
      await until('More text', async () => (await messageOf(ada, threadId, run.messageId)).text.length > before);
      await ada.post(`/api/runs/${run.id}/stop`);
      const events = await reader.all();
      const answer = await messageOf(ada, threadId, run.messageId);
      expect(answer).toMatchObject({ state: 'stopped', endedEarly: null, text: textOf(events) });
      expect(answer.text.length).toBeGreaterThan(before);
      expect(benchText(50).startsWith(answer.text)).toBe(true);
    }
    const steps = (await usagesOf(run.id)).map(({ step }) => step);
    expect(new Set(steps).size).toBe(2);
  });

  test('continues once for repeated requests, and rejects a clientId of another request', async () => {
    await forgetAsks(app);
    const threadId = await thread();
    const { answer: cut, message } = await ask(app, ada, threadId, '[[bench 40]] [[incomplete 15]] Once');
    const id = clientId();
    const all = await Promise.all(Array.from({ length: 5 }, () => post(ada, cut.id, id)));
    expect(all.map(({ status }) => status)).toEqual(Array(5).fill(202));
    await readEvents(app, ada, all[0]?.body.run.id);
    expect(await post(ada, cut.id, id)).toMatchObject({ status: 202, body: { run: { state: 'complete' } } });
    expect((await messageOf(ada, threadId, cut.id)).text).toBe(benchText(40));
    expect(await asksOf(app)).toHaveLength(2);
    const used = clientId();
    const other = await ask(app, ada, threadId, '[[bench 9]] [[incomplete 3]] Other', { clientId: used });
    expect((await post(ada, other.answer.id, used)).body.code).toBe('client_id_used');
    expect(message.id).toBeLessThan(cut.id);
  });

  test('calls tools during a continuation, and sends their outputs', async () => {
    const assistantId = await createAssistant(ada);
    const threadId = await thread({ assistantId });
    const { answer: cut } = await ask(app, ada, threadId, '[[saying]] [[call demo_clock]] [[incomplete 3]] When?');
    expect(cut).toMatchObject({ endedEarly: 'length' });
    expect(cut.calls).toBeUndefined();
    const { answer, events } = await resume(threadId, cut.id);
    expect(answer.calls).toMatchObject([{ name: 'demo_clock', output: 'Noon.', at: 'Let me look that up.'.length }]);
    expect(cut.text).toBe('Let me look');
    expect(answer.text).toMatch(/^Let me look that up\.(?!.*Let me look)/);
    expect(textOf(events)).toBe(answer.text);
    // The last step makes the simulator end early again.
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'length' });
    const usages = await usagesOf(answer.run?.id ?? 0);
    expect(usages.map(({ purpose }) => purpose)).toEqual(['chat', 'tool_step', 'continuation']);
  });

  test('keeps the text after a crash, counts usage once, and can continue again', async () => {
    const threadId = await thread();
    const { answer: cut, run } = await ask(app, ada, threadId, '[[bench 40]] [[incomplete 15]] [[delay 1]] Crash');
    await resume(threadId, cut.id);
    // The state that a process killed after 20 of 40 words leaves behind.
    const arrived = benchText(20).slice(benchText(15).length);
    await withDatabase(app, async (db) => {
      await db
        .updateTable('runs')
        .set({ state: 'running', instance: 999_999, event_marks: null, finish_reason: null, finished_at: null })
        .where('id', '=', run.id)
        .execute();
      await db.updateTable('messages').set({ text: cut.text }).where('id', '=', cut.id).execute();
      await db.deleteFrom('usage_records').where('step_of', '=', run.id).execute();
      const frame = (id: number, text: string) =>
        `id: ${id}\nevent: text\ndata: ${JSON.stringify({ type: 'text', text })}\n\n`;
      await db
        .insertInto('run_events')
        .values([
          { run_id: run.id, first_event: 1, last_event: 1, events: frame(1, cut.text) },
          { run_id: run.id, first_event: 2, last_event: 2, events: frame(2, arrived) },
        ])
        .execute();
    });
    await app.restart();
    const answer = await messageOf(ada, threadId, cut.id);
    expect(answer).toMatchObject({ state: 'interrupted', text: benchText(20) });
    const [, step] = await usagesOf(run.id);
    expect(step).toMatchObject({ purpose: 'continuation', output_tokens: Math.ceil(arrived.length / 4) });
    expect((await resume(threadId, cut.id)).answer).toMatchObject({ state: 'complete', text: benchText(40) });
    expect(await usagesOf(run.id)).toHaveLength(3);
  });

  test('says that the model added nothing', async () => {
    const threadId = await thread();
    const { answer: cut } = await ask(app, ada, threadId, '[[bench 20]] [[incomplete 20]] Nothing more');
    const { events } = await resume(threadId, cut.id);
    expect(notesOf(events)).toEqual(['The model added nothing when it was asked to continue.']);
    expect((await messageOf(ada, threadId, cut.id)).text).toBe(benchText(20));
  });

  test('rejects answers that are complete, empty, not last or active, and questions', async () => {
    const threadId = await thread();
    const whole = await ask(app, ada, threadId, 'hello');
    const refusal = async (id: number) => {
      const { status, body } = await post(ada, id);
      return [status, body.message];
    };
    expect(await refusal(whole.answer.id)).toEqual([409, 'This answer is complete. Ask for more in a new message.']);
    expect(await refusal(whole.message.id)).toEqual([409, 'Only an answer can be continued.']);
    expect(await refusal(999_999_999)).toEqual([404, 'This message does not exist.']);
    const empty = await ask(app, ada, threadId, '[[incomplete 0]] Nothing');
    expect(await refusal(empty.answer.id)).toEqual([409, 'There is no text to continue. Ask for a new answer.']);
    const cut = await ask(app, ada, threadId, '[[bench 9]] [[incomplete 3]] Cut');
    await ask(app, ada, threadId, 'And then?');
    expect(await refusal(cut.answer.id)).toEqual([
      409,
      'The conversation continues after this answer. Ask for the rest in a new message.',
    ]);
    const last = await ask(app, ada, threadId, '[[bench 9]] [[incomplete 3]] Busy');
    const { run } = await sendMessage(ada, threadId, '[[hang]]', { parentId: whole.answer.id });
    expect((await post(ada, last.answer.id)).body.code).toBe('run_in_progress');
    expect((await post(ada, run.messageId)).body.code).toBe('run_in_progress');
    await ada.post(`/api/runs/${run.id}/stop`);
    expect((await ada.post(`/api/messages/${last.answer.id}/continue`, {})).status).toBe(400);
    const beside = await regenerated(app, ada, last.answer.id);
    expect(beside.run.messageId).not.toBe(last.answer.id);
    expect((await resume(threadId, last.answer.id)).answer.text).toBe(benchText(9));
  });
});
