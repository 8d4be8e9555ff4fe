import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { AppError } from '#server/lib/errors';
import { Secret } from '#server/security/secret';
import { engines, readyDatabase } from '#server/testing/app';
import { maskStoredErrors } from './mask-stored-errors.ts';

const key = 'house-key-of-no-known-form-1';
const at = '2026-11-01T00:00:00.000Z';

describe.each(engines)('masking provider texts that an earlier version has stored on %s', (engine) => {
  async function ready() {
    const { url, dataDir, remove } = await readyDatabase(engine);
    const { db, close } = openDatabase(url, dataDir);
    onTestFinished(async () => {
      await close();
      await remove();
    });
    const opened: number[] = [];
    const keys = {
      async open(userId: number) {
        opened.push(userId);
        if (userId % 2 === 0) throw new AppError('no_api_key', 'Add your API key in Settings first.');
        return new Secret(key);
      },
    };
    return { db, opened, task: () => maskStoredErrors(db, keys) };
  }

  async function someone({ db }: Pick<Awaited<ReturnType<typeof ready>>, 'db'>, number: number) {
    const user = {
      email: `ada${number}@example.com`,
      name: 'Ada',
      role: 'Editor' as const,
      status: 'Active' as const,
      created_at: at,
      last_active_at: at,
    };
    const { id } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const store = { user_id: id, assistant_id: null, sent_at: null, provider_store_id: null, state: 'ready' as const };
    const words = [
      'Nothing of a key.',
      `Key ${key} is bad`,
      'upstream key gsk_abcdefgh12345678 is out of credit',
      null,
    ];
    for (const [index, error] of words.entries())
      await db
        .insertInto('vector_stores')
        .values({ ...store, token: `${number}-${index}`, error, instance: null, created_at: at })
        .execute();
    const response = {
      user_id: id,
      access_token_id: null,
      assistant_id: null,
      model: 'm',
      previous_id: null,
      state: 'failed' as const,
      background: 0 as const,
      fields: JSON.stringify({ instructions: `I keep ${key} here`, debug: { askedWith: key }, error: { note: key } }),
      error: JSON.stringify({ code: 'server_error', message: `Bearer ${key}` }),
      bytes: 1,
      call_id: null,
      cancel_requested_at: null,
      created_at: at,
      expires_at: at,
    };
    await db.insertInto('responses').values(response).execute();
    return id;
  }

  test('masks the user’s key and known forms of keys, once', async () => {
    const stage = await ready();
    const { db, opened, task } = stage;
    const [ada, bob] = [await someone(stage, 1), await someone(stage, 2)];
    const job = { kind: 'x', payload: '{}', run_at: at, claimed_until: null, error_class: null, given_up_at: null };
    await db
      .insertInto('jobs')
      .values({ ...job, last_error: `Key ${key} is bad`, created_at: at })
      .execute();
    await task().run();
    const errorsOf = async (userId: number) => {
      const rows = db.selectFrom('vector_stores').select('error').where('user_id', '=', userId).orderBy('id');
      return (await rows.execute()).map(({ error }) => error);
    };
    const withKey = ada % 2 === 1 ? ada : bob;
    const without = withKey === ada ? bob : ada;
    const upstream = 'upstream key gsk_… is out of credit';
    expect(await errorsOf(withKey)).toEqual(['Nothing of a key.', 'Key … is bad', upstream, null]);
    expect(await errorsOf(without)).toEqual(['Nothing of a key.', `Key ${key} is bad`, upstream, null]);
    const response = db.selectFrom('responses').select(['error', 'fields']).where('user_id', '=', withKey);
    const { error, fields } = await response.executeTakeFirstOrThrow();
    expect(JSON.parse(error ?? '')).toEqual({ code: 'server_error', message: 'Bearer …' });
    expect(JSON.parse(fields)).toEqual({
      // Written by the user.
      instructions: `I keep ${key} here`,
      debug: { askedWith: '…' },
      error: { note: '…' },
    });
    expect((await db.selectFrom('jobs').select('last_error').executeTakeFirstOrThrow()).last_error).toBe(
      'Key … is bad',
    );

    const before = opened.length;
    await task().run();
    expect(opened.length).toBe(before);
  });

  test('masks again after the pass of a version that did not know responses', async () => {
    const stage = await ready();
    const id = await someone(stage, 1);
    await stage.db.insertInto('settings').values({ name: 'provider_words_masked', value: 'done' }).execute();
    await stage.task().run();
    expect(stage.opened).toEqual([id]);
  });

  test('continues where a process was killed', async () => {
    const stage = await ready();
    const [first, second] = [await someone(stage, 1), await someone(stage, 2)];
    await stage.db
      .insertInto('settings')
      .values({ name: 'provider_words_masked_2', value: String(first) })
      .execute();
    await stage.task().run();
    expect(stage.opened).toEqual([second]);
  });
});
