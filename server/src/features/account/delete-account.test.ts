import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, benchText, deleteForGood, newThread, post, sendMessage, until } from '#server/testing/chat';
import { compared, judged, newComparison } from '#server/testing/comparisons';
import { newConnection, newOffer } from '#server/testing/connections';
import { setUser, withDatabase } from '#server/testing/database';
import { gathered, rated } from '#server/testing/datasets';
import { openEvents } from '#server/testing/events';
import { untilCopy, uploaded } from '#server/testing/files';
import { createTrainedJob, quick } from '#server/testing/fine-tuning';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';
import { uploadExport } from '#server/testing/imports';
import { untilIndexed } from '#server/testing/knowledge';
import { storedMailTo } from '#server/testing/mail';
import { newPrompt } from '#server/testing/prompts';
import { heldMessage } from '#server/testing/queue';
import { rowsOf, tablesWith } from '#server/testing/rows';
import { bareRequest } from '#server/testing/test-environment';
import { newSet, runTestSet, typed } from '#server/testing/test-sets';
import { newServer, untilDiscovered } from '#server/testing/tool-servers';

/** Tables of unfinished work, which ends with the account; the code that does the work deletes their rows. */
const inProgress = new Set(['run_events', 'file_uploads', 'api_calls']);

const path = '/api/user';
const close = (visitor: HttpClient, body: unknown = { password }) => visitor.delete(path, body);

describe.each(engines)('closing an account on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get(path)).body.id;
  const rows = (userId: number) => withDatabase(app, (db) => rowsOf(db, engine, userId));
  const noticeTo = (email: string) => storedMailTo(app, email, 'Your Roster account was closed');
  const closings = () =>
    withDatabase(app, (db) =>
      db.selectFrom('security_events').selectAll().where('event', '=', 'account_closed').execute(),
    );
  const troubles = () => app.logLines.filter((line) => Number(JSON.parse(line).level) >= 50);

  /** Creates an API client’s vector store with a file that was added in a batch. */
  async function batched(token: string, word: string) {
    const post = (path: string, body: object) => callApi(app, token, path, { method: 'POST', body });
    const { data: files } = (await callApi(app, token, '/v1/files')).body;
    const { id: fileId } = files.find(({ filename }: { filename: string }) => filename === `${word}.txt`);
    const stores = '/v1/vector_stores';
    const { id } = (await post(stores, { name: word })).body;
    const { id: batchId } = (await post(`${stores}/${id}/file_batches`, { file_ids: [fileId] })).body;
    await until('The end of the batch', async () => {
      const { body } = await callApi(app, token, `${stores}/${id}/file_batches/${batchId}`);
      return body.status === 'completed';
    });
  }

  /** Creates rows in every table that names its owner. */
  async function furnish(visitor: HttpClient, word: string): Promise<number> {
    const userId = await idOf(visitor);
    const assistantId = await createAssistant(visitor, { name: word, instructions: word });
    await visitor.post('/api/assistants/move', { fromModel: 'gpt-4o', toModel: 'gpt-4.1' });
    const threadId = await newThread(visitor, { title: `${word} title`, assistantId });
    await visitor.delete(`/api/threads/${await newThread(visitor, { title: 'In the trash' })}`);
    await newThread(visitor, { temporary: true });
    await visitor.post('/api/settings/preferences', {
      theme: 'light',
      notificationsEnabled: true,
      soundEnabled: true,
      customColors: false,
      backgroundColor: null,
      foregroundColor: null,
      accentColor: null,
    });
    await visitor.put('/api/model-choices', { favorites: [word] });
    await visitor.post('/api/analytics/budgets', { assistantId, amountUsd: 5 });
    await visitor.post('/api/analytics/prices', { model: word, input: 1, output: 1 });
    await visitor.post('/api/settings/admin-key', { adminKey: `sk-admin-${word}-0123456789` });
    const { id: fileId } = await uploaded(app, visitor, { filename: `${word}.txt`, content: word });
    await untilCopy(visitor, fileId, 'ready');
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [fileId] });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const comparison = await newComparison(visitor, [`${word} prompt`]);
    await compared(app, visitor, comparison.id, comparison.items[0]?.id ?? 0);
    await judged(visitor, comparison.id, { criteria: `${word} criteria` });
    await visitor.post('/api/assistants/draft', { version: null, values: { name: word } });
    const { body: project } = await visitor.post('/api/projects', { name: word, instructions: word });
    await visitor.post(`/api/projects/${project.id}/files`, { fileIds: [fileId] });
    await visitor.post('/api/analytics/project-budgets', { projectId: project.id, amountUsd: 5 });
    const { id: connectionId } = await newConnection(app, visitor, word);
    const offer = await newOffer(app, { name: `Offered ${userId}`, audience: 'chosen', people: [userId] });
    await ask(app, visitor, await newThread(visitor, { model: `@${offer.id}/gpt-4o` }), word);
    await newPrompt(visitor, { name: word.replaceAll(' ', '-'), text: word });
    const testSet = await newSet(visitor, assistantId, typed(`${word} question`));
    await runTestSet(visitor, testSet.id);
    const { answer } = await ask(app, visitor, threadId, `${word} message`, { fileIds: [fileId] });
    await visitor.post(`/api/threads/${threadId}/summary`, {});
    await heldMessage(app, visitor, threadId, `${word} waiting`);
    await rated(visitor, answer.id, { correction: `${word} correction` });
    await gathered(visitor, { name: `${word} dataset` });
    await createTrainedJob(app, visitor, { name: word });
    await uploadExport(app, visitor, word, `${word}.json`);
    const { token } = await newToken(visitor, { name: `${word} token` });
    const request = { model: 'gpt-4o', input: `${word} input` };
    await callApi(app, token, '/v1/responses', { method: 'POST', body: request });
    await batched(token, word);
    const auth = { type: 'header', name: 'X-Key', value: word };
    const { id: toolServerId } = (await newServer(visitor, `https://127.0.0.1/${word}`, { name: word, auth })).body;
    await untilDiscovered(visitor, toolServerId);
    const at = new Date().toISOString();
    const runId = answer.run?.id ?? 0;
    await withDatabase(app, async (db) => {
      const copy = { filename: `${word}.jsonl`, bytes: 1, purpose: 'fine-tune' as const, created_at: at };
      await db
        .insertInto('connection_copies')
        .values({ user_id: userId, connection_id: connectionId, file_id: fileId, ...copy })
        .execute();
      await db
        .insertInto('program_runs')
        .values({
          run_id: runId,
          user_id: userId,
          thread_id: threadId,
          access_token_id: null,
          current_run_id: runId,
          state: 'as_current',
          waits_until: null,
          ended_at: null,
          options: JSON.stringify({ instructions: word }),
          metadata: '{}',
        })
        .execute();
      const call = { kind: 'function' as const, call_id: 'call_1', name: word, input: '{}', output: word };
      await db
        .insertInto('tool_calls')
        .values({ run_id: runId, position: 0, user_id: userId, message_id: answer.id, ...call })
        .execute();
      await db
        .insertInto('made_files')
        .values({
          user_id: userId,
          message_id: answer.id,
          position: 0,
          filename: word,
          state: 'failed',
          created_at: at,
        })
        .execute();
      await db
        .insertInto('thread_approvals')
        .values({ thread_id: threadId, user_id: userId, server_id: 1, tool: word, digest: word, given: 'once' })
        .execute();
      await db
        .insertInto('assistant_api_fields')
        .values({ assistant_id: assistantId, user_id: userId, fields: JSON.stringify({ metadata: { word } }) })
        .execute();
      const server = { user_id: userId, server_id: toolServerId, name: word, digest: word, position: 0 };
      const tool = { title: word, description: word, input_schema: '{}' };
      await db
        .insertInto('tool_server_tools')
        .values({ ...server, ...tool, is_read_only: 0, may_repeat: 0 })
        .execute();
      await db
        .insertInto('tool_server_descriptions')
        .values({ server_id: toolServerId, user_id: userId, text: word, left_out: '[]', left_out_count: 0 })
        .execute();
      await db
        .insertInto('assistant_tool_choices')
        .values({ ...server, assistant_id: assistantId, approval: 'always' })
        .execute();
      const signIn = { server_id: toolServerId, user_id: userId };
      await db
        .insertInto('tool_server_sign_ins')
        .values({ ...signIn, version: 1, notice: word })
        .execute();
      await db
        .insertInto('tool_server_flows')
        .values({ ...signIn, state_hash: word, session_id: word, sealed: word, created_at: at })
        .execute();
      await db
        .insertInto('identities')
        .values({ user_id: userId, provider: 'github', subject: word, email: `${word}@example.com`, created_at: at })
        .execute();
      const named = { external_id: `group ${userId}`, name: 'Staff', created_at: at, updated_at: at };
      const group = await db
        .insertInto('groups')
        .values({ source: 'oidc', ...named })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db.insertInto('group_members').values({ group_id: group.id, user_id: userId }).execute();
      await db
        .insertInto('scim_users')
        .values({ user_id: userId, user_name: word, user_name_key: word, created_at: at, updated_at: at })
        .execute();
      await db
        .insertInto('provider_sessions')
        .values({
          user_id: userId,
          session_id: null,
          challenge_hash: word,
          provider: 'oidc',
          issuer: word,
          subject: word,
          sid: word,
          id_token_sealed: word,
          created_at: at,
        })
        .execute();
      await db
        .insertInto('mailed_tokens')
        .values({
          user_id: userId,
          purpose: 'password',
          token_hash: word,
          proves_email: null,
          created_at: at,
          used_at: null,
        })
        .execute();
      const days = { days: 7, created_at: at, expires_at: at };
      await db
        .insertInto('invitations')
        .values({ email: word, role: 'Editor', is_mailed: 0, version: 1, ...days, accepted_at: at, user_id: userId })
        .execute();
      const end = { model: word, shutdown_date: '2027-01-14' };
      await db
        .insertInto('listed_models')
        .values({ user_id: userId, ...end, is_listed: 1 })
        .execute();
      await db
        .insertInto('model_end_mails')
        .values({ user_id: userId, ...end, step: 60, created_at: at })
        .execute();
      await db
        .insertInto('account_notices')
        .values({ user_id: userId, kind: 'reset_link_shown', done_by: word, created_at: at, dismissed_at: null })
        .execute();
      await db
        .insertInto('second_factors')
        .values({ user_id: userId, kind: 'totp', name: word, secret: word, created_at: at })
        .execute();
      await db.insertInto('totp_setups').values({ user_id: userId, secret: word, created_at: at }).execute();
      await db
        .insertInto('recovery_codes')
        .values({ user_id: userId, selector: word, hash: word, created_at: at })
        .execute();
      await db
        .insertInto('remembered_devices')
        .values({ user_id: userId, token_hash: word, created_at: at, expires_at: at })
        .execute();
      await db
        .insertInto('sign_in_challenges')
        .values({ id_hash: word, user_id: userId, method: word, return_path: '/', created_at: at })
        .execute();
      await db
        .insertInto('webauthn_challenges')
        .values({ id_hash: word, user_id: userId, purpose: word, challenge: word, created_at: at })
        .execute();
      await db
        .insertInto('sign_in_flows')
        .values({
          id_hash: word,
          provider: 'github',
          state: word,
          nonce: word,
          code_verifier: word,
          return_path: '/',
          user_id: userId,
          session_id: null,
          created_at: at,
        })
        .execute();
    });
    return userId;
  }

  test('deletes all rows of the user in every table, and none of others', async () => {
    const [zoe, max] = [await app.withKey('zoe'), await app.withKey('max')];
    const [zoeId, maxId] = [await furnish(zoe, 'asphodel'), await furnish(max, 'bergamot')];
    const before = await rows(zoeId);
    for (const [table, found] of before)
      if (!inProgress.has(table))
        expect(found.length, `Nothing of Zoe in ${table}: the test must put something there`).toBeGreaterThan(0);
    const ofMax = await rows(maxId);

    const { status, headers } = await close(zoe);
    expect(status).toBe(204);
    expect(String(headers['set-cookie'])).toMatch(/^session=; Max-Age=0/);

    for (const [table, found] of await rows(zoeId)) expect(found, table).toEqual([]);
    expect(await rows(maxId)).toEqual(ofMax);
    expect(await withDatabase(app, (db) => tablesWith(db, 'asphodel'))).toEqual([]);
    await noticeTo('zoe@example.com');
    await until('The end of all jobs', () =>
      withDatabase(app, async (db) => (await tablesWith(db, 'zoe@example.com')).length === 0),
    );
    expect(await closings()).toMatchObject([
      { user_id: null, done_by: 'self', user_agent: null, ip_address: null, detail: null },
    ]);
  });

  test('signs out everywhere, and the address can be registered again for an empty account', async () => {
    const yan = await app.withKey('yan');
    await furnish(yan, 'cardamom');
    const token = String(yan.cookies.get('session'));
    const elsewhere = app.visitor();
    await elsewhere.post('/api/login', { email: 'yan@example.com', password });
    expect((await close(yan)).status).toBe(204);
    expect((await bareRequest(app, 'GET', path, { cookie: `session=${token}` })).status).toBe(401);
    expect((await elsewhere.get(path)).status).toBe(401);
    expect((await elsewhere.post('/api/login', { email: 'yan@example.com', password })).status).toBe(401);

    const again = app.visitor();
    const { status, body } = await again.post('/api/register', { email: 'yan@example.com', password });
    expect([status, body.role]).toEqual([201, 'Editor']);
    expect((await again.get('/api/threads')).body.items).toEqual([]);
    expect((await again.get('/api/threads?q=cardamom')).body.items).toEqual([]);
    expect((await again.get('/api/assistants')).body).toEqual([]);
    expect((await again.get('/api/user/config')).body.hasApiKey).toBe(false);
    expect((await again.get('/api/settings/preferences')).body.theme).toBe('dark');
  });

  test.each([
    [{ password: 'not this one' }, 'The password is incorrect.'],
    [{ password: '' }, 'Enter your password to close the account.'],
    [{}, 'Enter your password to close the account.'],
  ])('requires the password (%j)', async (body, message) => {
    const wes = await app.as('wes');
    expect(await close(wes, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', message, fields: { password: message } },
    });
    expect((await wes.get(path)).status).toBe(200);
  });

  test('rejects another user’s password and extra fields', async () => {
    const vic = app.visitor();
    await vic.post('/api/register', { email: 'vic@example.com', password: 'another fine password' });
    expect((await close(vic)).status).toBe(400);
    expect((await close(vic, { password: 'another fine password', userId: 1 })).status).toBe(400);
    expect((await bareRequest(app, 'DELETE', path, { 'sec-fetch-site': 'same-origin' })).status).toBe(401);
    expect((await close(vic, { password: 'another fine password' })).status).toBe(204);
  });

  describe('without a password', () => {
    async function withoutPassword(name: string) {
      const visitor = await app.as(name);
      await withDatabase(app, (db) =>
        db.updateTable('users').set({ password_hash: null }).where('email', '=', `${name}@example.com`).execute(),
      );
      return visitor;
    }

    test('requires a sign-in within the last ten minutes', async () => {
      const uma = await withoutPassword('uma');
      const userId = await idOf(uma);
      const before = new Date(Date.now() - 10 * 60_000 - 1_000).toISOString();
      await withDatabase(app, (db) =>
        db.updateTable('sessions').set({ created_at: before }).where('user_id', '=', userId).execute(),
      );
      const { status, body } = await close(uma, { password: 'anything' });
      expect([status, body.code]).toEqual([403, 'fresh_sign_in_required']);
      expect(body.message).toContain('Confirm it’s you');
      expect((await uma.get(path)).status).toBe(200);
    });

    test('works with a recent one', async () => {
      const tom = await withoutPassword('tom');
      expect((await close(tom, {})).status).toBe(204);
      expect((await tom.get(path)).status).toBe(401);
    });
  });

  test('stops running answers and API calls', async () => {
    const sam = await app.withKey('sam');
    const userId = await idOf(sam);
    const sent = [];
    for (const word of ['farewell-one', 'farewell-two', 'farewell-three'])
      sent.push(await sendMessage(sam, await newThread(sam), `${word} [[bench 40000]] [[delay 20]]`));
    const [first] = sent;
    const reader = await openEvents(app, sam, Number(first?.run.id));
    await reader.until(10);
    expect((await close(sam)).status).toBe(204);
    // It ends like every stream of an ended session.
    await reader.all();
    for (const [table, found] of await rows(userId)) expect(found, table).toEqual([]);
    await until('The end of the calls', async () => {
      const asks = (await asksOf(app)).filter(({ body }) => JSON.stringify(body).includes('farewell'));
      return asks.length > 0 && asks.every(({ aborted }) => aborted);
    });
  });

  test('closes once for two concurrent requests', async () => {
    const rob = await app.withKey('rob');
    const userId = await furnish(rob, 'dandelion');
    const before = (await closings()).length;
    const led = () => {
      const other = createHttpClient(() => ({ url: app.url, origin: app.url }));
      other.cookies.set('session', String(rob.cookies.get('session')));
      return other;
    };
    const answers = await Promise.all([led(), led(), led(), led()].map((visitor) => close(visitor)));
    for (const { status } of answers) expect([204, 401]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(204);
    expect((await closings()).length).toBe(before + 1);
    await noticeTo('rob@example.com');
    for (const [table, found] of await rows(userId)) expect(found, table).toEqual([]);
  });

  test.each([0, 1, 2, 3, 4, 5])('leaves nothing behind while messages are sent and answers end (%i)', async (round) => {
    const name = `sender${round}`;
    const sender = await app.withKey(name);
    const userId = await idOf(sender);
    const threads = await Promise.all([1, 2, 3].map(() => newThread(sender)));
    const { statuses, stopped } = sendUntilRefused(sender, threads);
    await until('Some messages', async () => statuses.filter((status) => status === 202).length > round);
    expect(await close(sender)).toMatchObject({ status: 204 });
    await stopped;
    for (const status of statuses) expect([202, 401, 403, 404, 409]).toContain(status);
    for (const [table, found] of await rows(userId)) expect(found, table).toEqual([]);
    expect(troubles()).toEqual([]);
  });

  function sendUntilRefused(sender: HttpClient, threads: number[]) {
    const statuses: number[] = [];
    const stopped = Promise.all(
      threads.map(async (threadId) => {
        for (let status = 0; status !== 401; ) {
          ({ status } = await post(sender, threadId, `Hello ${benchText(3)} [[bench 5]]`));
          statuses.push(status);
        }
      }),
    );
    return { statuses, stopped };
  }

  test('deletes a conversation of many messages', async () => {
    const pam = await app.withKey('pam');
    const userId = await idOf(pam);
    await longThread(pam, userId, 3_000);
    expect((await close(pam)).status).toBe(204);
    for (const [table, found] of await rows(userId)) expect(found, table).toEqual([]);
  });

  test('exports and deletes a conversation of many messages', async () => {
    const oli = await app.as('oli');
    const userId = await idOf(oli);
    const threadId = await longThread(oli, userId, 1_500);
    const { body } = await oli.get(`/api/threads/${threadId}/export?format=json`);
    expect(body.messages.map(({ text }: { text: string }) => text)).toEqual(
      Array.from({ length: 1_500 }, (_, index) => `Message ${index + 1}`),
    );
    await deleteForGood(oli, threadId);
    expect((await rows(userId)).get('messages')).toEqual([]);
  });

  /** Creates a thread in which each message replies to the one before. */
  async function longThread(visitor: HttpClient, userId: number, length: number): Promise<number> {
    const threadId = await newThread(visitor, { title: 'Long' });
    await withDatabase(app, (db) =>
      db.transaction().execute(async (trx) => {
        const values = Array.from({ length }, (_, depth) => ({
          user_id: userId,
          thread_id: threadId,
          position: depth + 1,
          depth,
          role: depth % 2 === 0 ? ('user' as const) : ('assistant' as const),
          text: `Message ${depth + 1}`,
          reasoning: '',
          client_id: null,
          created_at: new Date().toISOString(),
        }));
        await trx.insertInto('messages').values(values).execute();
        // Rows of one transaction have consecutive ids.
        const { last } = await trx
          .selectFrom('messages')
          .select(({ fn }) => fn.max('id').as('last'))
          .where('thread_id', '=', threadId)
          .executeTakeFirstOrThrow();
        await trx
          .updateTable('messages')
          .set(({ eb }) => ({ parent_id: eb('id', '-', 1) }))
          .where('thread_id', '=', threadId)
          .where('position', '>', 1)
          .execute();
        await trx
          .updateTable('threads')
          .set({ next_position: length + 1, head_message_id: last })
          .where('id', '=', threadId)
          .execute();
      }),
    );
    return threadId;
  }
});

describe.each(engines)('closing the account of an administrator on %s', (engine) => {
  test('keeps the last active administrator while there are other accounts', async () => {
    const app = await startApp(engine);
    try {
      const [ada, bob, cleo] = [await app.as('ada'), await app.as('bob'), await app.as('cleo')];
      expect(await close(ada)).toMatchObject({ status: 409, body: { code: 'last_administrator' } });
      await setUser(app, 'bob@example.com', { role: 'Admin' });
      await setUser(app, 'bob@example.com', { status: 'Inactive' });
      expect((await close(ada)).body.code).toBe('last_administrator');
      await setUser(app, 'bob@example.com', { status: 'Active' });

      const answers = await Promise.all([close(ada), close(bob)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      const [left, email] = answers[0]?.status === 409 ? [ada, 'ada@example.com'] : [bob, 'bob@example.com'];
      // The slower one may have been signed out already and is still an Admin.
      const { body: kept } = await left.post('/api/login', { email, password });
      expect(kept).toMatchObject({ role: 'Admin', status: 'Active' });

      expect((await close(cleo)).status).toBe(204);
      expect((await close(left)).status).toBe(204);
      const first = app.visitor();
      const { status, body } = await first.post('/api/register', { email: 'new@example.com', password });
      expect([status, body.role]).toEqual([201, 'Admin']);
    } finally {
      await app.stop();
    }
  });

  test('keeps an administrator if a user registers while the only account is closed', async () => {
    const app = await startApp(engine);
    try {
      for (let round = 0; round < 5; round++) {
        const owner = app.visitor();
        const email = `owner${round}@example.com`;
        expect((await owner.post('/api/register', { email, password })).body.role).toBe('Admin');
        const guest = app.visitor();
        const [closed, registered] = await Promise.all([
          close(owner),
          guest.post('/api/register', { email: `guest${round}@example.com`, password }),
        ]);
        expect(registered.status).toBe(201);
        expect([closed.status, registered.body.role]).toSatisfy(([status, role]: [number, string]) =>
          status === 204 ? role === 'Admin' : status === 409 && role === 'Editor',
        );
        if (closed.status === 409) {
          await owner.post('/api/login', { email, password });
          expect((await close(guest)).status).toBe(204);
        }
        expect((await close(closed.status === 409 ? owner : guest)).status).toBe(204);
      }
    } finally {
      await app.stop();
    }
  });

  test('counts wrong passwords as failed sign-ins', async () => {
    const app = await startApp(engine, { env: { RATE_LIMIT_SCALE: '1' } });
    try {
      const ada = await app.as('ada');
      for (let attempt = 0; attempt < 5; attempt++)
        expect((await close(ada, { password: 'wrong one' })).status).toBe(400);
      const { status, headers } = await close(ada);
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(600);
      const elsewhere = app.visitor();
      expect((await elsewhere.post('/api/login', { email: 'ada@example.com', password })).status).toBe(429);
      const failures = await withDatabase(app, (db) => db.selectFrom('users').select('failed_sign_ins').execute());
      expect(failures).toEqual([{ failed_sign_ins: 5 }]);
    } finally {
      await app.stop();
    }
  });
});
