import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { Secret } from '#server/security/secret';
import { engines, readyDatabase } from '#server/testing/app';
import { loadCapabilities } from './capabilities.ts';

const provider = 'https://provider.example.org/v1';
const [mine, yours] = [new Secret('key-of-one-person'), new Secret('key-of-another-one')];
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const trait = ['gpt-4o', 'refuses search'] as const;

describe.each(engines)('rejections remembered on %s', (engine) => {
  async function ready() {
    const { url, dataDir, remove } = await readyDatabase(engine);
    const { db, close } = openDatabase(url, dataDir);
    onTestFinished(async () => {
      await close();
      await remove();
    });
    let now = Date.parse('2026-11-26T12:00:00Z');
    const process = () => loadCapabilities(db, provider, () => now);
    const pass = (ms: number) => {
      now += ms;
    };
    return { db, process, pass };
  }

  test('hold for the key that met them, and for nobody else', async () => {
    const { process, pass } = await ready();
    const traits = await process();
    await traits.learn(...trait, mine);
    expect(traits.has(...trait, mine)).toBe(true);
    expect(traits.has('gpt-4o', 'refuses code', mine)).toBe(false);
    expect(traits.has(...trait, yours)).toBe(false);
    expect(traits.has(...trait)).toBe(false);
    // However often the same key meets it.
    for (const wait of [2 * hour, 2 * day, 31 * day]) {
      pass(wait);
      await traits.learn(...trait, mine);
      expect(traits.has(...trait, yours)).toBe(false);
    }
  });

  test('hold for all once two keys met them at different times, elsewhere after a reread', async () => {
    const { process, pass } = await ready();
    const [here, there] = [await process(), await process()];
    await here.learn(...trait, mine);
    await there.reread.run();
    expect(there.has(...trait, mine)).toBe(false);
    pass(10 * minute);
    await here.learn(...trait, yours);
    expect(here.has(...trait)).toBe(true);
    await there.reread.run();
    expect(there.has(...trait)).toBe(true);
    expect(there.has(...trait, new Secret('a-third-key'))).toBe(true);
    expect((await process()).has(...trait)).toBe(true);
  });

  test('hold only for the keys that met them at once, until one meets them at another time', async () => {
    const { process, pass } = await ready();
    const traits = await process();
    const third = new Secret('a-third-key');
    await Promise.all([mine, yours].map((key) => traits.learn(...trait, key)));
    pass(9 * minute);
    await traits.learn(...trait, third);
    expect([mine, yours, third].map((key) => traits.has(...trait, key))).toEqual([true, true, true]);
    expect([traits.has(...trait), (await process()).has(...trait)]).toEqual([false, false]);
    pass(minute);
    await traits.learn(...trait, new Secret('a-fourth-key'));
    expect([traits.has(...trait), (await process()).has(...trait)]).toEqual([true, true]);
  });

  test('are not confirmed by one key that repeats them in the same burst', async () => {
    const { process, pass } = await ready();
    const traits = await process();
    await traits.learn(...trait, mine);
    pass(30 * minute);
    await traits.learn(...trait, mine);
    expect(traits.has(...trait)).toBe(false);
    pass(hour);
    // The hour of both has passed: this counts as a new first time.
    await traits.learn(...trait, mine);
    await traits.learn(...trait, yours);
    expect(traits.has(...trait)).toBe(false);
    expect([traits.has(...trait, mine), traits.has(...trait, yours)]).toEqual([true, true]);
  });

  test('end with the first success if they came from a restarting proxy', async () => {
    const { db, process, pass } = await ready();
    const traits = await process();
    await traits.learn('*', 'has no responses', mine);
    await traits.learn('*', 'has no responses', yours);
    expect(traits.has('*', 'has no responses', mine)).toBe(true);
    pass(hour);
    expect(traits.has('*', 'has no responses', mine)).toBe(false);
    await traits.works('*', 'has no responses', mine);
    expect(traits.has('*', 'has no responses')).toBe(false);
    expect(await db.selectFrom('provider_traits').selectAll().execute()).toEqual([]);
    // The other one must be retried separately.
    expect(traits.has('*', 'has no responses', yours)).toBe(false);
  });

  test('are retried after an hour, a day and then every month while they last', async () => {
    const { process, pass } = await ready();
    const traits = await process();
    await traits.learn(...trait, mine);
    pass(10 * minute);
    await traits.learn(...trait, yours);
    for (const kept of [50 * minute, day, 30 * day, 30 * day]) {
      // Requests that ran at the same time postpone nothing.
      await traits.learn(...trait, yours);
      pass(kept - 1);
      expect(traits.has(...trait)).toBe(true);
      pass(1);
      expect(traits.has(...trait)).toBe(false);
      await traits.learn(...trait, mine);
      expect((await process()).has(...trait)).toBe(true);
    }
  });

  test('do not confirm if another key met them long ago, and not since', async () => {
    const { process, pass } = await ready();
    const traits = await process();
    await traits.learn(...trait, mine);
    pass(3 * hour);
    await traits.learn(...trait, yours);
    expect(traits.has(...trait)).toBe(false);
  });

  test('hold for an hour after they were learned if an earlier version stored them', async () => {
    const { db, process, pass } = await ready();
    const row = { base_url: provider, model: 'gpt-4o', trait: 'refuses search', value: 'yes' };
    const none = { askers: null, ask_at: null, step: null };
    await db
      .insertInto('provider_traits')
      .values({ ...row, ...none, learned_at: '2026-11-26T11:30:00.000Z' })
      .execute();
    const traits = await process();
    expect(traits.has(...trait, mine)).toBe(true);
    pass(hour);
    expect(traits.has(...trait, mine)).toBe(false);
    await traits.learn(...trait, mine);
    expect(traits.has(...trait, yours)).toBe(true);
  });
});
