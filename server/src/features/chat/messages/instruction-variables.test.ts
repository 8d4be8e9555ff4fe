import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, newThread, until } from '#server/testing/chat';
import { compared, judged, newComparison } from '#server/testing/comparisons';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { newClient } from '#server/testing/responses';
import { newSet, runTestSet, typed } from '#server/testing/test-sets';
import { newTrial } from '#server/testing/trials';

const evening = '2026-11-28T17:45:00Z';
const instructions = 'On {{current_date}} at {{ CURRENT_TIME }}: {{assistant_name}} by {{model}}. Dear {{name}}.';
const filledBy = (model: string, name = 'Tutor') =>
  `On Saturday, November 28, 2026 at 18:45 (Europe/Berlin): ${name} by ${model}. Dear {{name}}.`;
const inUtc = 'On Saturday, November 28, 2026 at 17:45 (UTC): Tutor by gpt-4o. Dear {{name}}.';
const question = 'Hello [[bench 2]]';

describe.each(engines)('variables in instructions on %s', (engine) => {
  let app: TestApp;
  let now = Date.parse(evening);
  beforeAll(async () => {
    app = await startApp(engine, { now: () => now });
    await app.as('admin');
  });
  beforeEach(() => {
    now = Date.parse(evening);
  });
  afterAll(() => app.stop());

  async function inBerlin() {
    const person = await app.someone();
    const locale = { timeZone: 'Europe/Berlin', language: 'de-DE' };
    expect((await person.visitor.post('/api/settings/locale', locale)).status).toBe(204);
    return person;
  }
  const rename = (email: string, name: string | null) =>
    withDatabase(app, (db) => db.updateTable('users').set({ name }).where('email', '=', email).execute());
  const sent = async () => (await asksOf(app)).map(({ body }) => body.instructions);
  const tutor = (visitor: HttpClient, more: object = {}) => createAssistant(visitor, { instructions, ...more });

  test('are filled in at the moment of each question, and stay raw where they are stored', async () => {
    const { visitor, email } = await inBerlin();
    const assistantId = await tutor(visitor);
    const threadId = await newThread(visitor, { assistantId });
    await forgetAsks(app);
    await ask(app, visitor, threadId, question);
    now = Date.parse('2026-11-29T23:05:00Z');
    await ask(app, visitor, threadId, question);
    expect(await sent()).toEqual([
      filledBy('gpt-4o'),
      'On Monday, November 30, 2026 at 00:05 (Europe/Berlin): Tutor by gpt-4o. Dear {{name}}.',
    ]);
    expect((await visitor.get('/api/assistants')).body[0].instructions).toBe(instructions);
    expect((await visitor.get(`/api/assistants/${assistantId}/export`)).body.assistants[0].instructions).toBe(
      instructions,
    );
    const { body: version } = await visitor.get(`/api/assistants/${assistantId}/versions/1`);
    expect(version.settings.instructions).toBe(instructions);

    const self = 'For {{user_name}} in {{language}}, {{time_zone}}, on a {{current_weekday}}.';
    await visitor.patch(`/api/assistants/${assistantId}`, { instructions: self });
    await rename(email, 'Ada {{model}}');
    await forgetAsks(app);
    await ask(app, visitor, threadId, question);
    await rename(email, null);
    await ask(app, visitor, threadId, question);
    const where = 'in German (Germany), Europe/Berlin, on a Monday.';
    expect(await sent()).toEqual([`For Ada {{model}} ${where}`, `For ${email.slice(0, email.indexOf('@'))} ${where}`]);
  });

  test('are filled in for each model side by side, in UTC until a page has named a zone', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor, { assistantId: await tutor(visitor) });
    await forgetAsks(app);
    await ask(app, visitor, threadId, question, { models: ['gpt-4o', 'gpt-4o-mini'] });
    await until('both answers', async () => (await asksOf(app)).length === 2);
    expect((await sent()).toSorted()).toEqual([inUtc.replace('gpt-4o', 'gpt-4o-mini'), inUtc]);
  });

  test('are filled in for the trial of unsaved settings, and in a project', async () => {
    const { visitor } = await inBerlin();
    const trial = await newTrial(visitor, { model: 'gpt-4o-mini', name: 'Typed', instructions });
    const draft = { name: 'Plans', instructions: 'By {{model}} on a {{current_weekday}}, {{assistant_name}}.' };
    const { body: project } = await visitor.post('/api/projects', draft);
    const threadId = await newThread(visitor, { model: 'gpt-4o', projectId: project.id });
    await forgetAsks(app);
    await ask(app, visitor, trial, question);
    await ask(app, visitor, threadId, question);
    expect(await sent()).toEqual([filledBy('gpt-4o-mini', 'Typed'), 'By gpt-4o on a Saturday, {{assistant_name}}.']);
  });

  test('are filled in for test sets, but examples of a comparison stay to the letter', async () => {
    const { visitor } = await inBerlin();
    const assistantId = await tutor(visitor);
    const set = await newSet(visitor, assistantId, typed(question));
    await forgetAsks(app);
    await runTestSet(visitor, set.id);
    const comparison = await newComparison(visitor, [question], { instructions: 'Be {{model}}.' });
    await compared(app, visitor, comparison.id, comparison.items[0]?.id ?? 0);
    expect(await sent()).toEqual([filledBy('gpt-4o'), 'Be {{model}}.', 'Be {{model}}.']);
  });

  test('are filled in for a judge as the answers had them, but tell it no model that differs', async () => {
    const { visitor } = await inBerlin();
    const assistantId = await tutor(visitor);
    const { id } = await newSet(visitor, assistantId, typed('What do you keep to? [[delay 0]]'));
    const baseline = { kind: 'version', version: 1 };
    const judgeInputs = async () =>
      (await asksOf(app)).map(({ body }) => JSON.stringify(body.input)).filter((text) => text.includes('====='));
    await forgetAsks(app);
    const changes = { model: 'gpt-4o-mini' };
    const run = { candidate: { kind: 'draft', changes }, baseline };
    const { id: comparisonId } = await runTestSet(visitor, id, run);
    expect((await sent()).toSorted()).toEqual([filledBy('gpt-4o-mini'), filledBy('gpt-4o')].toSorted());
    now = Date.parse('2026-11-29T23:05:00Z');
    await forgetAsks(app);
    await judged(visitor, comparisonId);
    const blind = `told before\\n${filledBy('{{model}}')}\\n`;
    expect((await judgeInputs()).map((text) => text.includes(blind))).toEqual([true, true]);

    // The other side is the answer of the day before.
    await forgetAsks(app);
    const judge = { model: 'gpt-4o', criteria: 'The better one.' };
    await runTestSet(visitor, id, { candidate: { kind: 'draft', changes: { temperature: 0.5 } }, baseline, judge });
    const [today, before] = ['Monday, November 30, 2026', 'Saturday, November 28, 2026'] as const;
    const line = (one: string, other: string) =>
      `{{current_date}}: ${one} for the first answer, ${other} for the second`;
    const inputs = await judgeInputs();
    const both = `told before\\nOn {{current_date}} at {{ CURRENT_TIME }}: Tutor by gpt-4o. Dear {{name}}.\\n`;
    expect(inputs.map((text) => text.includes(both))).toEqual([true, true]);
    expect(inputs.filter((text) => text.includes(line(today, before)))).toHaveLength(1);
    expect(inputs.filter((text) => text.includes(line(before, today)))).toHaveLength(1);
    expect(inputs.join()).toContain(
      '{{current_time}}: 00:05 (Europe/Berlin) for the first answer, 18:45 (Europe/Berlin)',
    );
  });

  test('are filled in for clients, whose own instructions stay to the letter', async () => {
    const { visitor } = await inBerlin();
    await tutor(visitor);
    const { client } = await newClient(app, visitor, { rights: ['chat', 'assistants'] });
    const [assistant] = (await client.beta.assistants.list()).data;
    const model = assistant?.id ?? '';
    expect(assistant?.instructions).toBe(instructions);
    const messages = [{ role: 'user' as const, content: question }];
    await forgetAsks(app);
    await client.chat.completions.create({ model, messages: [{ role: 'system', content: '{{model}}' }, ...messages] });
    await client.responses.create({ model, input: question, instructions: 'And {{model}}.' });
    const runs = client.beta.threads;
    const run = await runs.createAndRunPoll({ assistant_id: model, thread: { messages } }, { pollIntervalMs: 20 });
    await runs.runs.createAndPoll(
      run.thread_id,
      { assistant_id: model, additional_instructions: 'More {{model}}.' },
      { pollIntervalMs: 20 },
    );
    await runs.createAndRunPoll(
      { assistant_id: model, instructions: 'Only {{model}}.', thread: { messages } },
      { pollIntervalMs: 20 },
    );
    expect(run.instructions).toBe(instructions);
    const [completion, response, ...others] = await asksOf(app);
    expect(JSON.stringify(completion?.body)).toContain(filledBy('gpt-4o'));
    expect(JSON.stringify(completion?.body)).toContain('"{{model}}"');
    expect(response?.body.instructions).toBe(`${filledBy('gpt-4o')}\n\nAnd {{model}}.`);
    expect(others.map(({ body }) => body.instructions)).toEqual([
      filledBy('gpt-4o'),
      `${filledBy('gpt-4o')}\n\nMore {{model}}.`,
      'Only {{model}}.',
    ]);
  });

  test('keeps the time zone and language that the page names, of each person alone', async () => {
    const [{ visitor: ada }, { visitor: bob }] = [await inBerlin(), await app.someone()];
    const localeOf = async (visitor: HttpClient) => {
      const { timeZone, language } = (await visitor.get('/api/settings/preferences')).body;
      return [timeZone, language];
    };
    expect([await localeOf(ada), await localeOf(bob)]).toEqual([
      ['Europe/Berlin', 'de-DE'],
      [null, null],
    ]);
    for (const wrong of [
      {},
      { timeZone: 'Europe/Berlin' },
      { timeZone: 'Mars/Olympus', language: 'de' },
      { timeZone: '+01:00', language: 'de' },
      { timeZone: 'Europe/Berlin', language: 'de_DE' },
      { timeZone: 'Europe/Berlin', language: 'x'.repeat(65) },
    ])
      expect((await ada.post('/api/settings/locale', wrong)).body.code, JSON.stringify(wrong)).toBe('invalid_input');
    const { body: chosen } = await ada.get('/api/settings/preferences');
    const { timeZone: _, language: __, ...given } = chosen;
    expect((await ada.post('/api/settings/preferences', { ...given, theme: 'light' })).body).toEqual({
      ...chosen,
      theme: 'light',
    });
    expect(await localeOf(ada)).toEqual(['Europe/Berlin', 'de-DE']);
  });
});
