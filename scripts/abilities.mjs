// Adds a running server as a connection of an installation of its own, by the calls of the pages, and prints what works:
// the check of a connection, a conversation, and the calls for programs. docs/operator/connections.md has examples.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './install.mjs';

install();
const { run } = await import('./run.mjs');
const { freePort, untilReady } = await import('./demo/prepare.mjs');
const { personCalls, until } = await import('./demo/calls.mjs');

const named = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', multiple: true, default: [] },
    key: { type: 'string', default: 'any-key-will-do-here' },
    model: { type: 'string', default: 'gpt-4o' },
    embeddings: { type: 'string', default: 'text-embedding-3-small' },
    moderation: { type: 'string', default: 'omni-moderation-latest' },
    completions: { type: 'string', default: 'gpt-3.5-turbo-instruct' },
    image: { type: 'string', default: 'gpt-image-1' },
    speech: { type: 'string', default: 'tts-1' },
    transcription: { type: 'string', default: 'whisper-1' },
  },
});
const [given] = named.positionals;
if (given === undefined) {
  console.error('Name the base URL of a running server: npx node scripts/abilities.mjs http://127.0.0.1:4010/v1');
  process.exit(1);
}
const { key, model, embeddings, moderation, completions, image, speech, transcription } = named.values;

const headers = named.values.header.map((line) => {
  const [name, value] = line.split(/:\s*(.*)/s);
  return { name, value };
});

const dataDir = mkdtempSync(join(tmpdir(), 'roster-abilities-'));
const port = await freePort();
const url = `http://localhost:${port}`;
const server = run(['server/src/main.ts'], {
  env: {
    ...{ PORT: port, DATA_DIR: dataDir, LOG_LEVEL: 'error', PROVIDER_BASE_URL: 'http://127.0.0.1:9/v1' },
    ...{ CONNECTIONS: 'open', PROVIDER_HOSTS_ALLOWED: new URL(given).hostname },
  },
});

const rows = [];
const add = (what, result, detail = '') => rows.push({ what, result, detail: String(detail).slice(0, 110) });

/** A conversation on the page, to the end of its answer. */
async function converse(call, answering) {
  const { id } = await call('POST', '/api/threads', { model: answering });
  await call('POST', `/api/threads/${id}/messages`, { message: 'hello', clientId: 'abilities-1' });
  await until('an answer', async () => (await call('GET', `/api/threads/${id}`)).runId === null);
  const answer = (await call('GET', `/api/threads/${id}/messages`)).items.at(-1);
  const works = answer.state === 'complete';
  add('a conversation', works ? 'works' : 'fails', works ? answer.text : answer.error?.message);
}

async function program(token, path, body) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type') ?? '';
  const text = /json|text/.test(type) ? bytes.toString().replaceAll(/\s+/g, ' ') : `${bytes.length} bytes, ${type}`;
  add(`/v1${path}${body.stream ? ' (stream)' : ''}`, response.ok ? 'works' : `${response.status}`, text);
}

async function programs(token) {
  const of = (id) => `Tried/${id}`;
  const messages = [{ role: 'user', content: 'hello' }];
  await program(token, '/chat/completions', { model: of(model), messages });
  await program(token, '/chat/completions', { model: of(model), messages, stream: true });
  await program(token, '/responses', { model: of(model), input: 'hello' });
  await program(token, '/completions', { model: of(completions), prompt: 'hello' });
  await program(token, '/embeddings', { model: of(embeddings), input: 'hello' });
  await program(token, '/moderations', { model: of(moderation), input: 'hello' });
  await program(token, '/images/generations', { model: of(image), prompt: 'a fox' });
  await program(token, '/audio/speech', { model: of(speech), input: 'hello', voice: 'alloy' });
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(2_000)]), 'talk.mp3');
  form.set('model', of(transcription));
  await program(token, '/audio/transcriptions', form);
}

try {
  await untilReady(url);
  const person = { email: 'abilities@example.com', password: 'correct horse battery' };
  const call = personCalls(url, person);
  await call('POST', '/api/register', person);
  const draft = { preset: 'other', name: 'Tried', baseUrl: given, key, headers };
  const connection = await call('POST', '/api/connections', draft);
  add('adding', connection.notice === null ? 'works' : 'works, with a notice', connection.notice ?? '');
  const checked = await call('POST', `/api/connections/${connection.id}/check`, { model });
  for (const { ability, result, reason } of checked.checks) add(`check: ${ability}`, result, reason ?? '');
  await converse(call, `@${connection.id}/${model}`);
  const { token } = await call('POST', '/api/access-tokens', {
    name: 'Abilities',
    rights: ['chat'],
    expiresInDays: 30,
  });
  await programs(token);
} catch (error) {
  add('stopped', 'fails', error.message);
  process.exitCode = 1;
} finally {
  console.table(rows);
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  rmSync(dataDir, { recursive: true, force: true });
}
