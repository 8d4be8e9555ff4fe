import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Table, tables } from '#server/backup/dump-repository';
import { engines, goodKey, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, benchText, newThread, regenerated, sendMessage, until } from '#server/testing/chat';
import { askPrompt, newComparison } from '#server/testing/comparisons';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';
import { bareRequest } from '#server/testing/test-environment';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

const path = '/api/user/export';

const conversation = 'conversations/<number>.json';
/** The exported file, as named in its description, for each table with user data. */
const exportedIn = new Map<Table, string>([
  ['users', 'account.json'],
  ['identities', 'account.json'],
  ['group_members', 'account.json'],
  ['groups', 'account.json'],
  ['scim_users', 'account.json'],
  ['provider_keys', 'account.json'],
  ['provider_admin_keys', 'account.json'],
  ['second_factors', 'account.json'],
  ['recovery_codes', 'account.json'],
  ['sessions', 'sessions.json'],
  ['access_tokens', 'access-tokens.json'],
  ['preferences', 'preferences.json'],
  ['model_choices', 'model-choices.json'],
  ['security_events', 'security-events.json'],
  ['usage_records', 'usage.jsonl'],
  ['budgets', 'budgets.json'],
  ['project_budgets', 'project-budgets.json'],
  ['own_prices', 'prices.json'],
  ['assistants', 'assistants.json'],
  ['assistant_versions', 'assistant-versions.jsonl'],
  ['assistant_files', 'assistants.json'],
  ['assistant_api_fields', 'assistants.json'],
  ['tool_servers', 'tool-servers.json'],
  ['tool_server_tools', 'tool-servers.json'],
  ['tool_server_descriptions', 'tool-server-descriptions/<number>.txt'],
  ['assistant_tool_choices', 'tool-servers.json'],
  ['tool_server_sign_ins', 'tool-servers.json'],
  ['imports', 'imports.jsonl'],
  ['threads', 'conversations/INDEX.jsonl'],
  ['messages', conversation],
  ['runs', conversation],
  ['program_runs', conversation],
  ['tool_calls', conversation],
  ['message_files', conversation],
  ['made_files', conversation],
  ['message_ratings', conversation],
  ['files', 'files/INDEX.jsonl'],
  ['fine_tuning_jobs', 'fine-tuning/jobs.jsonl'],
  ['fine_tuning_events', 'fine-tuning/jobs.jsonl'],
  ['fine_tuning_metrics', 'fine-tuning/jobs.jsonl'],
  ['fine_tuning_checkpoints', 'fine-tuning/jobs.jsonl'],
  ['custom_models', 'fine-tuning/models.json'],
  ['comparisons', 'comparisons.jsonl'],
  ['comparison_prompts', 'comparisons.jsonl'],
  ['comparison_judgings', 'comparisons.jsonl'],
  ['comparison_verdicts', 'comparisons.jsonl'],
  ['prompts', 'prompts.json'],
  ['connections', 'connections.json'],
  ['assistant_drafts', 'assistant-drafts.jsonl'],
  ['projects', 'projects.json'],
  ['project_files', 'projects.json'],
  ['queued_messages', 'queued-messages.jsonl'],
  ['message_summaries', conversation],
  ['test_sets', 'test-sets.jsonl'],
  ['test_questions', 'test-sets.jsonl'],
  ['datasets', 'fine-tuning/datasets/INDEX.jsonl'],
  ['dataset_examples', 'fine-tuning/datasets/<number>.jsonl'],
  ['program_vector_stores', 'vector-stores.jsonl'],
  ['program_vector_store_files', 'vector-stores.jsonl'],
  ['responses', 'responses.jsonl'],
  ['response_items', 'responses.jsonl'],
]);
const notExported = new Map<Table, string>([
  ['assistant_moves', 'what they changed is in assistant-versions.jsonl, by the versions that they made'],
  ['moved_assistants', 'what was changed is in assistant-versions.jsonl'],
  ['thread_approvals', 'what of tools was approved in a conversation, as digests; what came of it is with the calls'],
  ['settings', 'the installation’s'],
  ['account_notices', 'what security_events say of the same moment'],
  ['instances', 'the installation’s'],
  ['rate_counts', 'digests of who did something how often, gone after an hour'],
  ['jobs', 'work that is under way'],
  ['api_calls', 'calls that are under way; what they cost is in usage_records'],
  ['data_keys', 'a secret'],
  ['mailed_tokens', 'a secret'],
  ['invitations', 'the installation’s; that one was accepted or sent is in security_events'],
  ['provider_sessions', 'ends with its session'],
  ['logout_tokens', 'digests of what providers sent'],
  ['sign_in_flows', 'a secret, gone after ten minutes'],
  ['totp_setups', 'a secret'],
  ['remembered_devices', 'a secret'],
  ['sign_in_challenges', 'a secret, gone after ten minutes'],
  ['webauthn_challenges', 'a secret, gone after five minutes'],
  ['tool_server_flows', 'a secret, gone after ten minutes'],
  ['provider_traits', 'what the installation has learnt of its provider'],
  ['model_lists', 'the provider’s models, which are listed again while they are used'],
  ['listed_models', 'the provider’s models, which are listed again while they are used'],
  ['model_end_mails', 'which mails went out, so that none goes twice'],
  ['run_events', 'how an answer arrived: what arrived is in its message'],
  ['connection_offers', 'the installation’s'],
  ['connection_offer_people', 'who may use a connection of the installation'],
  ['connection_spend', 'sums of usage_records'],
  ['usage_by_day', 'sums of usage_records'],
  ['usage_by_quarter', 'sums of usage_records'],
  ['usage_by_token', 'sums of usage_records'],
  ['file_uploads', 'room for what has not come yet'],
  ['file_uses', 'follows from the messages, assistants, projects and jobs that use a file'],
  ['connection_copies', 'the same at the providers of connections'],
  ['provider_copies', 'where copies of the files are at the provider; they go with the file'],
  ['vector_stores', 'what the provider made of files'],
  ['program_vector_store_batches', 'how files came into a vector store'],
  ['program_vector_store_batch_files', 'how files came into a vector store'],
]);

describe.each(engines)('exporting an account on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const begin = (visitor: HttpClient) => beginDownload(app, visitor, path);
  async function exported(visitor: HttpClient) {
    const { statusCode, headers, body } = await begin(visitor);
    expect(statusCode).toBe(200);
    return { headers, files: unzip(Buffer.from(await body.arrayBuffer())) };
  }
  const json = (files: Map<string, string>, name: string) => JSON.parse(files.get(name) ?? 'null');
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;

  test('sends an attachment that no browser shows', async () => {
    const { headers } = await exported(await app.as('ada'));
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename="roster-export-\d{4}-\d\d-\d\d\.zip"$/),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  test('contains every file for a new account', async () => {
    const { files } = await exported(await app.as('newcomer'));
    expect([...files.keys()]).toEqual([
      'README.txt',
      'account.json',
      'preferences.json',
      'sessions.json',
      'security-events.json',
      'usage.jsonl',
      'model-choices.json',
      'access-tokens.json',
      'connections.json',
      'budgets.json',
      'project-budgets.json',
      'prices.json',
      'assistants.json',
      'assistant-index.jsonl',
      'assistant-versions.jsonl',
      'assistant-drafts.jsonl',
      'tool-servers.json',
      'prompts.json',
      'projects.json',
      'conversations/INDEX.jsonl',
      'queued-messages.jsonl',
      'imports.jsonl',
      'files/INDEX.jsonl',
      'fine-tuning/jobs.jsonl',
      'fine-tuning/models.json',
      'fine-tuning/datasets/INDEX.jsonl',
      'comparisons.jsonl',
      'test-sets.jsonl',
      'responses.jsonl',
      'vector-stores.jsonl',
    ]);
    for (const name of files.keys()) expect(files.get('README.txt')).toContain(name);
    expect(json(files, 'assistants.json').assistants).toEqual([]);
    expect(jsonLines(files.get('usage.jsonl'))).toEqual([]);
  });

  test('has a place for each table, or a reason why not', () => {
    const described = readFileSync(new URL('../../../../docs/user/export-format.md', import.meta.url), 'utf8');
    const places = tables.map((table): [string, string | undefined] => [
      table,
      exportedIn.get(table) ?? notExported.get(table),
    ]);
    expect(places.filter(([, place]) => place === undefined)).toEqual([]);
    for (const file of exportedIn.values()) expect(described).toContain(`\`${file}\``);
  });

  test('contains all data of the user', async () => {
    const bob = await app.withKey('bob');
    const assistantId = await createAssistant(bob, { name: 'Ünïcode ✓', instructions: 'Be kind.' });
    await createAssistant(bob, { name: 'Another' });
    const threadId = await newThread(bob, { title: 'Of cabbages', assistantId });
    const first = await ask(app, bob, threadId, 'And kings');
    await regenerated(app, bob, first.answer.id);
    await newThread(bob, { title: 'Empty' });
    const colors = { backgroundColor: '#111111', foregroundColor: '#222222', accentColor: '#333333' };
    const chosen = {
      titleModel: 'gpt-4o',
      theme: 'light',
      notificationsEnabled: false,
      soundEnabled: true,
      customColors: true,
      ...colors,
    };
    await bob.post('/api/settings/preferences', chosen);
    const models = { favorites: ['gpt-4o'], hidden: ['@3/old'], recent: ['gpt-4o'] };
    await bob.put('/api/model-choices', models);

    const budget = { assistantId, amountUsd: 12.5, warnAt: 0.8, hardStop: true, tz: 'Europe/Berlin' };
    expect((await bob.post('/api/analytics/budgets', budget)).status).toBe(200);
    const { body: project } = await bob.post('/api/projects', { name: 'Gärten' });
    const { assistantId: _, ...terms } = budget;
    const ofProject = { ...terms, projectId: project.id };
    expect((await bob.post('/api/analytics/project-budgets', ofProject)).status).toBe(200);
    const price = { model: 'my-own-model', input: 1, cachedInput: 0.5, output: 2 };
    expect((await bob.post('/api/analytics/prices', price)).status).toBe(200);

    await withDatabase(app, async (db) => {
      const { id } = await db
        .updateTable('runs')
        .set({ continued_step: 1, thought_ms: 1_200 })
        .where('message_id', '=', first.answer.id)
        .returning('id')
        .executeTakeFirstOrThrow();
      await db.updateTable('messages').set({ reasoning: 'I wonder.' }).where('id', '=', first.answer.id).execute();
      await db.updateTable('usage_records').set({ service_tier: 'priority' }).where('run_id', '=', id).execute();
    });
    const { files } = await exported(bob);
    expect(json(files, 'budgets.json')).toEqual([{ ...budget, assistantName: 'Ünïcode ✓' }]);
    expect(json(files, 'project-budgets.json')).toEqual([{ ...ofProject, projectName: 'Gärten' }]);
    expect(json(files, 'prices.json')).toEqual([{ ...price, setAt: expect.any(String) }]);
    expect(json(files, 'account.json')).toMatchObject({
      format: 'roster.account',
      version: 1,
      user: { email: 'bob@example.com', role: 'Editor', status: 'Active' },
      loginMethods: { password: true, connected: [] },
      apiKey: { isSet: true },
    });
    expect(json(files, 'preferences.json')).toMatchObject(chosen);
    expect(json(files, 'model-choices.json')).toEqual(models);
    expect(json(files, 'sessions.json')).toMatchObject([{ device: 'Chrome on Linux' }]);
    const events = json(files, 'security-events.json').map(({ event }: { event: string }) => event);
    expect(events.slice(0, 2)).toEqual(['data_exported', 'api_key_saved']);
    expect(json(files, 'assistants.json')).toEqual({
      ...(await bob.get('/api/assistants/export')).body,
      exportedAt: expect.any(String),
    });
    const index = jsonLines(files.get('conversations/INDEX.jsonl'));
    expect(index).toMatchObject([
      { file: `conversations/${threadId}.json`, title: 'Of cabbages', messageCount: 3 },
      { title: 'Empty', messageCount: 0 },
    ]);
    const conversation = json(files, `conversations/${threadId}.json`);
    expect(conversation).toEqual((await bob.get(`/api/threads/${threadId}/export?format=json`)).body);
    expect(conversation.messages.map(({ text }: { text: string }) => text)).toEqual([
      'And kings',
      first.answer.text,
      expect.stringMatching(/./),
    ]);
    const thought = { reasoning: 'I wonder.', thoughtMs: 1_200, continued: true, endedEarly: null };
    expect(conversation.messages[1]).toMatchObject(thought);
    expect(conversation.messages[2]).not.toHaveProperty('continued');
    expect(json(files, index[1].file).messages).toEqual([]);
    const usage = jsonLines(files.get('usage.jsonl'));
    expect(usage.map(({ purpose }) => purpose).filter((purpose) => purpose === 'chat')).toHaveLength(2);
    expect(usage.map(({ serviceTier }) => serviceTier)).toEqual(['priority', ...usage.slice(1).map(() => null)]);
    expect(usage[0]).toMatchObject({ model: 'gpt-4o', inputTokens: expect.any(Number), costUsd: expect.any(Number) });
  });

  test('contains no secret and no data of others', async () => {
    const [cleo, dan] = [await app.withKey('cleo'), await app.withKey('dan')];
    for (const [visitor, word] of [
      [cleo, 'asphodel'],
      [dan, 'bergamot'],
    ] as const) {
      await createAssistant(visitor, { name: word });
      await ask(app, visitor, await newThread(visitor, { title: `${word} title` }), `${word} message`);
    }
    const { files } = await exported(cleo);
    const text = [...files].flat().join('\n');
    expect(text.match(/asphodel/g)?.length).toBeGreaterThanOrEqual(4);
    expect(text).not.toMatch(/bergamot|dan@example/);
    const [userId, token] = [await idOf(cleo), String(cleo.cookies.get('session'))];
    const stored = await withDatabase(app, (db) =>
      db
        .selectFrom('users')
        .innerJoin('provider_keys', 'provider_keys.user_id', 'users.id')
        .innerJoin('data_keys', 'data_keys.user_id', 'users.id')
        .innerJoin('sessions', 'sessions.user_id', 'users.id')
        .select(['password_hash', 'sealed', 'wrapped', 'token_hash', 'sessions.id'])
        .where('users.id', '=', userId)
        .executeTakeFirstOrThrow(),
    );
    for (const secret of [goodKey, password, token, ...Object.values(stored)]) {
      expect(secret).toMatch(/.{8}/);
      expect(text).not.toContain(secret);
    }
  });

  test('contains assistants that another account can import', async () => {
    const [eve, fay] = [await app.as('eve'), await app.as('fay')];
    for (let index = 1; index <= 45; index++)
      await createAssistant(eve, {
        name: `Assistant ${index}`,
        description: `"${index}"`,
        instructions: `Line\n${index}`,
      });
    const { files } = await exported(eve);
    const { status, body } = await fay.post('/api/assistants/import-file', json(files, 'assistants.json'));
    expect([status, body.imported.length, body.failed]).toEqual([200, 45, []]);
    const { body: imported } = await fay.get('/api/assistants/export');
    expect(imported.assistants).toEqual(json(files, 'assistants.json').assistants);
  });

  test('contains the text so far of a running answer, marked as running', async () => {
    const ivy = await app.withKey('ivy');
    const threadId = await newThread(ivy, { title: 'Half said' });
    const { id: comparisonId, items } = await newComparison(ivy, ['[[bench 20]]']);
    const written = benchText(3);
    await withFault(app, { hangAfter: 3 }, { path: '/responses' }, async () => {
      const { run } = await sendMessage(ivy, threadId, '[[bench 20]]');
      const { candidate, baseline } = (await askPrompt(ivy, comparisonId, items[0]?.id ?? 0)).body;
      const answerOf = (files: Map<string, string>) => {
        const [{ file }] = jsonLines(files.get('conversations/INDEX.jsonl'));
        return json(files, file).messages[1];
      };
      const comparedIn = (files: Map<string, string>) =>
        jsonLines(files.get('comparisons.jsonl'))[0].prompts[0].candidate;
      const { files } = await until('The beginning of both answers', async () => {
        const archive = await exported(ivy);
        const texts = [answerOf(archive.files).text, comparedIn(archive.files).text];
        return texts.every((text) => text === written) && archive;
      });
      expect(answerOf(files)).toMatchObject({ state: 'running', finishedAt: null });
      expect(comparedIn(files)).toMatchObject({ state: 'running' });
      expect(answerOf(files)).not.toHaveProperty('run');
      const download = async (format: string) =>
        (await beginDownload(app, ivy, `/api/threads/${threadId}/export?format=${format}`)).body.text();
      expect(JSON.parse(await download('json')).messages[1]).toMatchObject({ state: 'running', text: written });
      expect(await download('md')).toContain(`${written}\n\n*(running)*`);
      for (const id of [run.id, candidate.runId, baseline.runId]) await ivy.post(`/api/runs/${id}/stop`);
      expect(answerOf((await exported(ivy)).files)).toMatchObject({ state: 'stopped', text: written });
    });
  });

  test('rejects visitors', async () => {
    expect((await bareRequest(app, 'GET', path)).status).toBe(401);
  });
});
