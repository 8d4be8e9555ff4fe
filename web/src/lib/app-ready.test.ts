import { beforeEach, expect, test, vi } from 'vitest';

let ready: typeof import('./app-ready.ts');
beforeEach(async () => {
  vi.resetModules();
  ready = await import('./app-ready.ts');
});

test('loads the content once the page is usable, and everything else after it', async () => {
  const begun: string[] = [];
  const content = Promise.withResolvers<string>();
  const later = ready.afterContent(async () => begun.push('later'));
  const shown = ready.loadContent(() => {
    begun.push('content');
    return content.promise;
  });
  expect(begun).toEqual([]);
  ready.markAppReady();
  await expect.poll(() => begun).toEqual(['content']);
  content.resolve('text');
  expect(await shown).toBe('text');
  await later;
  expect(begun).toEqual(['content', 'later']);
});

test('loads everything else although the content cannot be loaded', async () => {
  const shown = ready.loadContent(() => Promise.reject(new Error('offline')));
  const later = ready.afterContent(async () => 'later');
  ready.markAppReady();
  await expect(shown).rejects.toThrow('offline');
  expect(await later).toBe('later');
});
