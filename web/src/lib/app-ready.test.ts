import { beforeEach, expect, test, vi } from 'vitest';

let ready: typeof import('./app-ready.ts');
beforeEach(async () => {
  vi.resetModules();
  ready = await import('./app-ready.ts');
});

test('loads the content once the page is usable, and everything else after it', async () => {
  const started: string[] = [];
  const content = Promise.withResolvers<string>();
  const later = ready.afterContent(async () => started.push('later'));
  const shown = ready.loadContent(() => {
    started.push('content');
    return content.promise;
  });
  expect(started).toEqual([]);
  ready.markAppReady();
  await expect.poll(() => started).toEqual(['content']);
  content.resolve('text');
  expect(await shown).toBe('text');
  await later;
  expect(started).toEqual(['content', 'later']);
});

test('loads everything else although the content cannot be loaded', async () => {
  const shown = ready.loadContent(() => Promise.reject(new Error('offline')));
  const later = ready.afterContent(async () => 'later');
  ready.markAppReady();
  await expect(shown).rejects.toThrow('offline');
  expect(await later).toBe('later');
});
