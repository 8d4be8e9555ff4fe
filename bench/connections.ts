import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { type Browser, chromium } from '@playwright/test';
import { exchange } from './exchange.ts';
import { median, ms, printTable, times, verdict } from './figures.ts';
import { type Person, post, preparePeople, type Roster, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';
import { bearer, model } from './targets.ts';

const calls = 300;
const aimRatio = 1.03;
const listed = 10_000;
const aimMs = 100;

const chunks = Array.from(
  { length: 30 },
  (_, at) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: ` t${at}` } }] })}\n\n`,
);
const stream = `${chunks.join('')}data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
const models = JSON.stringify({
  object: 'list',
  data: Array.from({ length: listed }, (_, at) => ({ id: `vendor/model-${at}`, object: 'model' })),
});

/** A provider that answers at once, and lists 10,000 models to connections. */
async function startProvider() {
  const server = createServer((request, response) => {
    const isList = request.method === 'GET';
    const list = request.headers.authorization?.includes('connection') ? models : '{"data":[{"id":"gpt-4o"}]}';
    request.resume();
    request.on('end', () => {
      response.setHeader('content-type', isList ? 'application/json' : 'text/event-stream');
      response.end(isList ? list : stream);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: { port: number } = Object(server.address());
  return { port, close: () => server.close() };
}

type Way = { name: string; token: string; model: string; took: number[] };

async function ask(port: number, { token, model: named }: Way): Promise<number> {
  const began = performance.now();
  const body = { model: named, messages: [{ role: 'user', content: 'Hello' }], stream: true };
  const answer = await exchange({ port, method: 'POST', path: '/v1/chat/completions', headers: bearer(token), body });
  if (!answer.text.includes('[DONE]'))
    throw new Error(`No whole answer: ${answer.status} ${answer.text.slice(0, 200)}`);
  return performance.now() - began;
}

async function wayOf(port: number, { headers }: Person, name: string, named: string): Promise<Way> {
  const draft = { name, rights: ['chat'], expiresInDays: null };
  const { token } = await post<{ token: string }>(port, '/api/access-tokens', headers, draft);
  return { name, token, model: named, took: [] };
}

/** Calls take turns, so that whatever else the machine does is in all of them. */
async function measureCalls({ port }: Roster, [without, person]: [Person, Person]) {
  const ways = [
    await wayOf(port, without, 'without a connection', model),
    await wayOf(port, person, 'with one, the installation’s provider', model),
    await wayOf(port, person, 'with one, its model', `Home/${model}`),
  ];
  for (let turn = -20; turn < calls * settings.runs; turn++)
    for (let place = 0; place < ways.length; place++) {
      // Each is the first as often as the others.
      const way = ways[(place + Math.max(0, turn)) % ways.length];
      const took = way && (await ask(port, way));
      if (took !== undefined && turn >= 0) way?.took.push(took);
    }
  const [floor = Number.NaN] = ways.map(({ took }) => median(took));
  const rows = ways.map(({ name, took }, index) => {
    const ratio = median(took) / floor;
    return [
      name,
      ms(median(took)),
      index === 0 ? '' : times(ratio),
      ...(index === 0 ? [''] : [verdict(ratio, aimRatio)]),
    ];
  });
  printTable('A streamed call of a program', ['', 'p50', `ratio, aim ${aimRatio}×`, ''], rows);
}

/** Milliseconds from the press until the list of models has been painted. */
async function openPicker(browser: Browser, url: string, { headers, assistantId }: Person): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = '', value = ''] = (headers.cookie ?? '').split('=');
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  await page.goto(`${url}/assistants/${assistantId}`);
  const button = '[role="combobox"][aria-haspopup="dialog"]';
  // The pointer comes before the press, and with it the picker's code.
  await page.locator(button).first().hover();
  await page.waitForLoadState('networkidle');
  const took = await page.evaluate(async (selector) => {
    const opener = document.querySelector<HTMLElement>(selector);
    const began = performance.now();
    opener?.click();
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    while (document.querySelectorAll('[role="option"]').length < 4) await painted();
    await painted();
    return performance.now() - began;
  }, button);
  await context.close();
  return took;
}

async function measurePicker({ port }: Roster, person: Person) {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) return console.log(`Not measured: there is no Chromium at ${executablePath}.`);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const took: number[] = [];
    for (let run = 0; run < Math.max(5, settings.runs); run++)
      took.push(await openPicker(browser, `http://localhost:${port}`, person));
    const middle = median(took);
    const row = [`${listed} models`, ms(middle), ms(Math.max(...took)), `${aimMs} ms`, verdict(middle, aimMs)];
    printTable('The picker of models opens', ['', 'median', 'longest', 'aim', ''], [row]);
  } finally {
    await browser.close();
  }
}

/** Measures what connections cost: a call beside one, a call through one, and a list with 10,000 models. */
export async function measureConnections(): Promise<{ faults: string[] }> {
  const provider = await startProvider();
  const env = { CONNECTIONS: 'open', PROVIDER_HOSTS_ALLOWED: '127.0.0.1' };
  const roster = await startRoster(temporaryFolder(), provider.port, { env });
  try {
    const [without, person] = await preparePeople(roster.port, 2);
    if (!without || !person) throw new Error('There is nobody to ask');
    const baseUrl = `http://127.0.0.1:${provider.port}/v1`;
    const draft = { preset: 'other', name: 'Home', baseUrl, key: `sk-connection-${'k'.repeat(32)}` };
    await post(roster.port, '/api/connections', person.headers, draft);
    await measureCalls(roster, [without, person]);
    await measurePicker(roster, person);
  } finally {
    await roster.program.stop();
    provider.close();
  }
  return { faults: [] };
}
