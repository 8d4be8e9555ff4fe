import { defaultPreferences } from '@roster/contracts/account';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser } from '#server/testing/database';
import { bareRequest } from '#server/testing/test-environment';

const path = '/api/settings/preferences';
const chosen = {
  theme: 'light',
  notificationsEnabled: false,
  soundEnabled: false,
  modelMails: false,
  titleModel: 'gpt-4o',
  customColors: true,
  backgroundColor: '#101010',
  foregroundColor: '#EEEEEE',
  accentColor: '#ff0000',
  primaryColor: '#00ff00',
  cardColor: '#0000ff',
};
/** No page has named the locale yet. */
const nowhere = { timeZone: null, language: null };

describe.each(engines)('preferences on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('returns the defaults until something is saved', async () => {
    const { status, body } = await (await app.as('new')).get(path);
    expect([status, body]).toEqual([200, defaultPreferences]);
  });

  test('stores what was saved, with colors in lower case, and overwrites it', async () => {
    const ada = await app.as('ada');
    const saved = { ...chosen, ...nowhere, foregroundColor: '#eeeeee' };
    expect(await ada.post(path, chosen)).toMatchObject({ status: 200, body: saved });
    expect((await ada.get(path)).body).toEqual(saved);
    const darker = { ...chosen, theme: 'system', soundEnabled: true, foregroundColor: '#cccccc' };
    expect((await ada.post(path, darker)).body).toEqual({ ...darker, ...nowhere });
    expect((await ada.get(path)).body).toEqual({ ...darker, ...nowhere });
  });

  test('stores no colors while they are off, and none that were not sent', async () => {
    const bob = await app.as('bob');
    await bob.post(path, chosen);
    const { primaryColor: _, cardColor: __, ...few } = chosen;
    const fewer = { ...few, ...nowhere, foregroundColor: '#eeeeee', primaryColor: null, cardColor: null };
    expect((await bob.post(path, few)).body).toEqual(fewer);
    expect((await bob.get(path)).body).toEqual(fewer);
    const off = {
      ...fewer,
      customColors: false,
      backgroundColor: null,
      foregroundColor: null,
      accentColor: null,
    };
    expect((await bob.post(path, { ...chosen, customColors: false })).body).toEqual(off);
    expect((await bob.get(path)).body).toEqual(off);
  });

  test('keeps the preferences of users apart', async () => {
    const [eve, fay] = [await app.as('eve'), await app.as('fay')];
    await eve.post(path, { ...chosen, theme: 'light' });
    await fay.post(path, { ...chosen, theme: 'system' });
    expect((await eve.get(path)).body.theme).toBe('light');
    expect((await fay.get(path)).body.theme).toBe('system');
  });

  test.each([
    ['a color that is none', { accentColor: 'red' }, 'accentColor'],
    ['a color with something behind it', { accentColor: '#ff0000;background:url(x)' }, 'accentColor'],
    ['another theme', { theme: 'sepia' }, 'theme'],
    ['a missing switch', { soundEnabled: undefined }, 'soundEnabled'],
    ['somebody else', { userId: 1 }, 'userId'],
  ])('rejects %s', async (_, change, field) => {
    const { status, body } = await (await app.as('ada')).post(path, { ...chosen, ...change });
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(Object.keys(body.fields)).toEqual([field]);
  });

  test('lets Viewers save, and rejects visitors', async () => {
    const vic = await app.as('vic');
    await setUser(app, 'vic@example.com', { role: 'Viewer' });
    expect((await vic.post(path, chosen)).status).toBe(200);
    expect((await bareRequest(app, 'GET', path)).status).toBe(401);
  });
});
