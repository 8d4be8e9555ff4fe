// People who use an installation through its balancer, as browsers do, and record what was acknowledged.
import { setTimeout as wait } from 'node:timers/promises';

/** The simulator's answer to `[[bench n]]`. */
const answerOf = (tokens) =>
  Array.from({ length: tokens }, (_, index) => ` t${String(index).padStart(4, '0')}`).join('');
const maxTried = 30;

export const newFigures = () => ({
  requests: 0,
  retried: 0,
  answers: 0,
  readers: 0,
  handedOver: 0,
  pages: 0,
  reloaded: 0,
  uploads: 0,
  slowestMs: 0,
  reasons: new Map(),
  failures: [],
});

/**
 * `isSafe`: a browser repeats it if no response came. If Roster reports that it is stopping, nothing was done, and
 * every client repeats.
 */
async function request(figures, url, options, isSafe) {
  const began = performance.now();
  for (let attempt = 1; ; attempt++) {
    figures.requests++;
    let reason;
    try {
      const response = await fetch(url, { ...options, signal: AbortSignal.timeout(30_000) });
      if (response.status < 500) {
        const body = options.isStream ? response : await response.text();
        figures.slowestMs = Math.max(figures.slowestMs, performance.now() - began);
        return { status: response.status, headers: response.headers, body };
      }
      const text = await response.text();
      reason = `${response.status} ${/"message":"([^"]+)"/.exec(text)?.[1] ?? text.slice(0, 200)}`;
      if (!isSafe && !(response.status === 503 && response.headers.has('retry-after')))
        return { status: response.status, headers: response.headers, body: text };
    } catch (error) {
      reason = error.cause?.code ?? error.message;
      if (!isSafe) throw new Error(`${options.method} ${url}: ${reason}`, { cause: error });
    }
    if (attempt === maxTried) throw new Error(`${options.method} ${url}: ${reason}`);
    figures.retried++;
    figures.reasons.set(reason, (figures.reasons.get(reason) ?? 0) + 1);
    await wait(500);
  }
}

/** `tokens`: the length of this person's answers. */
export async function newPerson(url, figures, name, tokens) {
  let cookie = '';
  async function call(method, path, body, { isSafe = method === 'GET', isStream = false, headers: others } = {}) {
    const isForm = body instanceof FormData;
    const headers = {
      origin: url,
      'sec-fetch-site': 'same-origin',
      ...(cookie && { cookie }),
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...others,
    };
    const sent = isForm || body === undefined ? body : JSON.stringify(body);
    const answer = await request(figures, `${url}${path}`, { method, headers, body: sent, isStream }, isSafe);
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    if (answer.status >= 400)
      throw new Error(`${method} ${path}: ${answer.status} ${isStream ? await answer.body.text() : answer.body}`);
    if (isStream) return answer.body;
    return answer.headers.get('content-type')?.includes('json') ? JSON.parse(answer.body) : answer.body;
  }
  await call('POST', '/api/register', { email: `${name}@example.com`, password: 'correct horse battery' });
  await call('POST', '/api/settings/apikey', { apiKey: `sk-${name.padEnd(40, 'k')}` });
  const { id: threadId } = await call('POST', '/api/threads', { model: 'gpt-4o' });
  return { name, call, figures, threadId, asked: [], tokens, cookie: () => cookie };
}

/** Reads the events of a run to their end, at whichever process answers. Returns the text. */
async function readAnswer({ call, figures }, runId) {
  const seen = { number: 0, text: '', isOver: false };
  for (let reader = 1; !seen.isOver; reader++) {
    if (reader > maxTried) throw new Error(`Run ${runId} never ended`);
    figures.readers++;
    if (reader > 1) figures.handedOver++;
    const headers = { accept: 'text/event-stream', ...(seen.number > 0 && { 'last-event-id': String(seen.number) }) };
    const response = await call('GET', `/api/runs/${runId}/events`, undefined, { headers, isStream: true });
    await readEvents(response, runId, seen).catch((error) => {
      if (error instanceof BrokenStreamError) throw error;
    });
    if (!seen.isOver) await wait(200);
  }
  return seen.text;
}

class BrokenStreamError extends Error {}

async function readEvents(response, runId, seen) {
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s)));
      if (fields.data === undefined) continue;
      const number = Number(fields.id);
      if (number <= seen.number) throw new BrokenStreamError(`Run ${runId}: event ${number} came after ${seen.number}`);
      seen.number = number;
      const event = JSON.parse(fields.data);
      if (event.type === 'text') seen.text += event.text;
      if (event.type === 'failed') throw new BrokenStreamError(`Run ${runId} failed: ${event.error.code}`);
      if (event.type === 'finished') seen.isOver = true;
    }
  }
}

/**
 * Loads the page with all files it names, as on a first visit. If they are gone, the page reloads itself:
 * web/public/first.js.
 */
async function openPage({ call, figures }, isReloaded = false) {
  const page = await call('GET', '/');
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset);
  try {
    for (const asset of assets) await call('GET', asset);
  } catch (error) {
    if (isReloaded) throw error;
    figures.reloaded++;
    return openPage({ call, figures }, true);
  }
  figures.pages++;
}

async function upload({ name, call, figures }, round) {
  const form = new FormData();
  const text = `${name} ${round} `.repeat(2_000);
  form.append('purpose', 'assistants');
  form.append('file', new Blob([text], { type: 'text/plain' }), `${name}-${round}.txt`);
  const { id } = await call('POST', '/api/files/upload', form);
  if ((await call('GET', `/api/files/${id}/content`)) !== text) throw new Error(`File ${id} is another one`);
  figures.uploads++;
}

async function ask(person, round) {
  const { name, call, figures, threadId, asked, tokens } = person;
  const message = `${name} ${round} [[bench ${tokens}]]`;
  const clientId = `${name}-${String(round).padStart(8, '0')}`;
  const sent = await call('POST', `/api/threads/${threadId}/messages`, { message, clientId }, { isSafe: true });
  asked.push(message);
  const said = await readAnswer(person, sent.run.id);
  if (said !== answerOf(tokens)) throw new Error(`${name} ${round}: read ${JSON.stringify(said)}`);
  figures.answers++;
}

/** Uses Roster until told to stop. */
export async function use(person, stopping) {
  const { call, figures, name } = person;
  for (let round = 1; !stopping.aborted; round++)
    try {
      await openPage(person);
      await ask(person, round);
      await call('GET', '/api/threads');
      if (round % 3 === 0) await upload(person, round);
      if (round % 3 === 1)
        await call('POST', '/api/assistants', { name: `${name} ${round}`, model: 'gpt-4o', instructions: 'Be brief.' });
    } catch (error) {
      figures.failures.push(error.message);
    }
}

/** The violations of what was promised: each message once, in its place, with its whole answer. */
export async function broken({ name, call, threadId, asked, tokens }) {
  const items = [];
  for (let query = 'limit=200'; query; ) {
    const page = await call('GET', `/api/threads/${threadId}/messages?${query}`);
    items.unshift(...page.items);
    query = page.nextCursor && `limit=200&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  const expected = asked.flatMap((message) => [message, answerOf(tokens)]);
  const found = items.map(({ text }) => text);
  return JSON.stringify(found) === JSON.stringify(expected)
    ? []
    : [`${name}: ${found.length} messages are there, ${expected.length} were promised, or others than these`];
}
