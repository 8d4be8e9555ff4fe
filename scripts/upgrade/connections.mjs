// Connections of this version, used through processes of this version and of an earlier one that knows none of them.
import { setTimeout as wait } from 'node:timers/promises';
import { caller } from './beside.mjs';

const key = `sk-connection-${'k'.repeat(32)}`;
const budgets = { monthlyUsdPerPerson: 50, monthlyUsdTotal: 500 };
let sent = 0;

/** Sends a message and waits for the end of its answer. A refusal is returned as the answer that failed. */
async function ask(call, threadId) {
  const body = { message: 'Hello [[bench 3]]', clientId: `beside-${String(++sent).padStart(8, '0')}` };
  const asked = await call('POST', `/api/threads/${threadId}/messages`, body).catch((error) => ({ error }));
  if (asked.error) return { state: 'refused', error: { message: asked.error.message } };
  for (;;) {
    const { items } = await call('GET', `/api/threads/${threadId}/messages?limit=100`);
    const answer = items.at(-1);
    if (answer.role === 'assistant' && !['queued', 'running'].includes(answer.state)) return answer;
    await wait(50);
  }
}

/**
 * A connection, an offered one with budgets, and conversations and an assistant that use them, made through the new
 * process and then used through the old one, which may refuse them and must not change them.
 */
export async function connectBeside({ origin, oldUrl, newUrl, providerUrl }, administrator, leaving) {
  const problems = [];
  const expect = (what, found, expected) => {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      problems.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };
  const [atNew, atOld] = [caller(newUrl, origin, administrator), caller(oldUrl, origin, administrator)];
  const draft = { preset: 'other', baseUrl: providerUrl, key };
  const own = await atNew('POST', '/api/connections', { ...draft, name: 'Own' });
  const offered = await atNew('POST', '/api/admin/connections', {
    ...{ ...draft, name: 'Team', audience: 'everybody' },
    ...budgets,
  });
  const models = [`@${own.id}/gpt-4o`, `@${offered.id}/gpt-4o`];
  const threads = [];
  for (const model of models) {
    const { id } = await atNew('POST', '/api/threads', { model, title: 'Named' });
    expect(`An answer of ${model}`, (await ask(atNew, id)).state, 'complete');
    threads.push(id);
  }
  const assistant = await atNew('POST', '/api/assistants', {
    ...{ name: 'Connected', model: models[0], fallbackModel: 'gpt-4o', instructions: 'Be brief.' },
  });

  // The old process shows, renames and refuses, and the new one finds everything as it was.
  const { items } = await atOld('GET', '/api/threads?limit=100');
  expect(
    'Conversations in the old process',
    threads.filter((id) => !items.some((item) => item.id === id)),
    [],
  );
  for (const [index, id] of threads.entries()) {
    const refused = await ask(atOld, id);
    if (!['failed', 'refused'].includes(refused.state) || !refused.error?.message)
      problems.push(`The old process answered ${models[index]}: ${JSON.stringify(refused)}`);
    await atOld('PATCH', `/api/threads/${id}`, { title: 'Renamed' });
    const thread = await atNew('GET', `/api/threads/${id}`);
    expect('A conversation after the old process', [thread.model, thread.title], [models[index], 'Renamed']);
    expect('An answer after the old process', (await ask(atNew, id)).state, 'complete');
  }
  await atOld('PATCH', `/api/assistants/${assistant.id}`, { name: 'Renamed' });
  const kept = (await atNew('GET', '/api/assistants?limit=100')).find?.(({ id }) => id === assistant.id);
  const shown = kept ?? (await atNew('GET', `/api/assistants/${assistant.id}/export`)).assistants[0];
  expect('An assistant after the old process', [shown.name, shown.fallbackModel], ['Renamed', 'gpt-4o']);

  // The old process closes an account with a connection and a part in an offered one.
  const theirs = caller(newUrl, origin, leaving);
  await theirs('POST', '/api/connections', { ...draft, name: 'Left' });
  const { id: left } = await theirs('POST', '/api/threads', { model: models[1], title: 'Left' });
  expect('An answer for who leaves', (await ask(theirs, left)).state, 'complete');
  await caller(oldUrl, origin, leaving)('DELETE', '/api/user', { password: 'correct horse battery' });
  const spending = () => atNew('GET', `/api/admin/connections/${offered.id}/spending`);
  const before = await spending();
  expect('Accounts in the spending', before.people.map(({ person }) => person === null).toSorted(), [false, true]);
  expect('Requests in the spending', before.total.requests, 3);

  return {
    problems,
    /** The problems after the upgrade. */
    async isKept(url) {
      problems.length = 0;
      const call = caller(url, origin, administrator);
      const { connections } = await call('GET', '/api/connections');
      expect('The connection', connections, [own]);
      const { offers } = await call('GET', '/api/admin/connections');
      const { spentUsd, ...terms } = offers[0];
      const { spentUsd: _, ...made } = offered;
      expect('The offered connection', terms, made);
      expect('Its cost', spentUsd, before.total.costUsd);
      for (const id of threads) expect('An answer after the upgrade', (await ask(call, id)).state, 'complete');
      return problems;
    },
  };
}
