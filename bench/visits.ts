import { type Browser, chromium } from '@playwright/test';
import { startRoster } from '../e2e/roster.ts';
import { patienceMs } from '../scripts/test/patience.ts';

const email = 'person@example.com';
const password = 'correct horse battery';

/** The pages opened first, by visitors and signed-in users. */
export const firstPages = ['/auth', '/', '/chat', '/chat/1'] as const;

export type FetchedResource = { address: string; bytes: number; startedAt: number };
export type Visit = { usableAt: number; fetched: FetchedResource[] };

/** Chromium as the browser tests start it. */
export const launchBrowser = (args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', ...args],
  });

/** An installation with one user who has a key, an assistant and a thread; and their signed-in state. */
export async function prepareVisits(browser: Browser) {
  const roster = await startRoster();
  const context = await browser.newContext();
  const post = async (path: string, data: unknown) => {
    const answer = await context.request.post(`${roster.url}${path}`, { headers: { origin: roster.url }, data });
    if (!answer.ok()) throw new Error(`POST ${path} answered ${answer.status()}: ${await answer.text()}`);
    return answer.json();
  };
  await post('/api/register', { email, password });
  await post('/api/settings/apikey', { apiKey: `sk-${'simulated'.repeat(5)}` });
  const assistant = await post('/api/assistants', { name: 'Tutor', model: 'gpt-4o' });
  const thread = await post('/api/threads', { title: 'The garden', assistantId: assistant.id });
  await post(`/api/threads/${thread.id}/messages`, { message: 'Plan a garden', clientId: 'first-visit-0001' });
  const isBeingAnswered = async () => {
    const answer = await context.request.get(`${roster.url}/api/threads/${thread.id}`);
    return (await answer.json()).runId !== null;
  };
  while (await isBeingAnswered()) await new Promise((resolve) => setTimeout(resolve, 20));
  const signedIn = await context.storageState();
  await context.close();
  return { roster, stateFor: (page: string) => (page === '/auth' ? { cookies: [], origins: [] } : signedIn) };
}

/** Opens a page with an empty cache and waits until it is idle. Responses are compressed with gzip. */
export async function visit(browser: Browser, url: string, storageState: Awaited<ReturnType<typeof prepareVisits>>) {
  const context = await browser.newContext({
    storageState: storageState.stateFor(new URL(url).pathname),
    extraHTTPHeaders: { 'accept-encoding': 'gzip' },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto(url);
  // On a busy machine the network may be idle before this.
  await page.waitForFunction(() => performance.getEntriesByName('usable').length > 0);
  await page.waitForLoadState('networkidle');
  const seen = await page.evaluate((): Visit => {
    const usable = performance.getEntriesByName('usable')[0];
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return {
      usableAt: usable ? usable.startTime : Number.POSITIVE_INFINITY,
      fetched: entries
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .map(({ name, encodedBodySize, startTime }) => ({
          address: name.replace(location.origin, ''),
          bytes: encodedBodySize,
          startedAt: startTime,
        })),
    };
  });
  await context.close();
  return seen;
}
