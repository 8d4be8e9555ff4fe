import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '#server/db/connect';
import { engines, readyDatabase } from '#server/testing/app';
import { loadTraits } from './traits.ts';

const provider = 'https://provider.example.org/v1';

describe.each(engines)('traits of a provider on %s', (engine) => {
  async function ready() {
    const { url, dataDir, remove } = await readyDatabase(engine);
    const { db, close } = connect(url, dataDir);
    onTestFinished(async () => {
      await close();
      await remove();
    });
    return db;
  }

  test('that another process has learned are known after the next reading', async () => {
    const db = await ready();
    const [here, there] = [await loadTraits(db, provider), await loadTraits(db, provider)];
    await here.learn('gpt-4o', 'refuses search');
    expect(there.has('gpt-4o', 'refuses search')).toBe(false);
    await there.reread.run();
    expect(there.has('gpt-4o', 'refuses search')).toBe(true);
    expect(there.has('gpt-4o', 'refuses code')).toBe(false);
  });

  test('are asked about again after a month, in a process that goes on, too', async () => {
    const db = await ready();
    const traits = await loadTraits(db, provider);
    await traits.learn('gpt-4o', 'refuses search');
    await db.updateTable('provider_traits').set({ learned_at: '2020-01-01T00:00:00.000Z' }).execute();
    await traits.reread.run();
    expect(traits.has('gpt-4o', 'refuses search')).toBe(false);
  });
});
