import { personCalls, until } from './calls.mjs';
import { compareModels, runTestSets } from './comparisons.mjs';
import { conversations } from './conversations.mjs';
import { recent } from './recent.mjs';
import {
  assistants,
  baseModel,
  comparison,
  files,
  hotline,
  otherAnswers,
  password,
  people,
  programs,
  prompts,
  visits,
} from './story.mjs';

const dayMs = 86_400_000;
export const historyDays = 60;

/** Everything that the simulator answers to, word for word. */
export const script = [
  ...[...conversations, ...recent].flatMap(({ exchanges }) => exchanges),
  ...hotline,
  ...comparison.questions,
].map(({ question, byModel, ...entry }) => {
  const more = Object.entries(otherAnswers).flatMap(([model, answers]) =>
    answers[question] ? [[model, answers[question]]] : [],
  );
  return { ...entry, question, byModel: { ...byModel, ...Object.fromEntries(more) } };
});

/**
 * Lives through sixty days with the product's own calls.
 * @param url the server, whose clock `setClock` sets
 * @param setClock sets the clock of server and simulator to milliseconds since 1970
 */
export async function liveThroughHistory(url, setClock) {
  const demo = await openAccounts(url, setClock);
  for (let daysAgo = historyDays - 1; daysAgo >= 0; daysAgo--) {
    await demo.at(daysAgo, '08:00');

    await askByPrograms(demo, url, daysAgo);
    for (const file of files.filter((one) => one.daysAgo === daysAgo)) await upload(demo, file);
    if (daysAgo === 55) await createAssistants(demo);
    await changeAssistants(demo, daysAgo);
    for (const thread of conversations.filter((one) => one.daysAgo === daysAgo)) await converse(demo, thread);
    for (const visit of visits.filter((one) => one.daysAgo === daysAgo)) await pay(demo, visit);
    await trainAndTest(demo, daysAgo);
    for (const thread of recent.filter((one) => one.daysAgo === daysAgo)) await converse(demo, thread);
  }
  await finish(demo);
}

/** The accounts with their keys, programs and tool server, on the first day. */
async function openAccounts(url, setClock) {
  const today = Date.now();
  const calls = people.map((person) => personCalls(url, { ...person, password }));
  const demo = {
    calls,
    call: calls[0],
    ids: { assistants: new Map(), files: new Map(), tokens: new Map() },
    async at(daysAgo, time) {
      const day = new Date(today - daysAgo * dayMs).toISOString().slice(0, 10);
      // Today's calls were made before now.
      await setClock(Math.min(Date.parse(`${day}T${time}:00Z`), today - 60_000));
    },
    minutesAgo: (minutes) => setClock(today - minutes * 60_000),
  };
  await demo.at(historyDays, '09:00');
  for (const [index, { email, name }] of people.entries()) {
    await calls[index]('POST', '/api/register', { email, password });
    await calls[index]('PATCH', '/api/user', { name });
    await calls[index]('POST', '/api/settings/apikey', { apiKey: `sk-${`demo${index}`.repeat(8)}` });
  }
  for (const { owner, name } of programs)
    if (!demo.ids.tokens.has(name)) {
      const token = { name, rights: ['chat'], expiresInDays: 365 };
      demo.ids.tokens.set(name, (await calls[owner]('POST', '/api/access-tokens', token)).token);
    }
  for (const prompt of prompts) await demo.call('POST', '/api/prompts', prompt);
  return demo;
}

/** Programs ask on working days, more in the middle of the week. */
async function askByPrograms(demo, url, daysAgo) {
  const day = new Date().getUTCDay();
  const share = [0, 1, 1.3, 1.5, 1.2, 0.8, 0][(day - (daysAgo % 7) + 7) % 7];
  const due = programs.filter(({ from = 60, until: last = 0 }) => daysAgo <= from && daysAgo >= last);
  const asks = due.flatMap((program) =>
    Array.from({ length: Math.round(program.perDay * share) }, () => {
      // Trends up over the weeks, with a little difference from day to day.
      const growth = (1.6 - daysAgo / historyDays) * (0.85 + ((daysAgo * 7) % 10) / 30);
      return { ...program, input: Math.round(program.input * growth), output: Math.round(program.output * growth) };
    }),
  );
  await Promise.all(
    asks.map(async ({ name, model, input, output }) => {
      const content = `[[tokens ${output}]] ${'Ticket of a customer. '.repeat(Math.round((input * 4) / 22))}`;
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.ids.tokens.get(name)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
      });
      if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }),
  );
}

async function upload({ call, ids }, { filename, type, content, purpose = 'assistants' }) {
  const form = new FormData();
  form.append('purpose', purpose);
  form.append('file', new Blob([content], { type }), filename);
  ids.files.set(filename, (await call('POST', '/api/files/upload', form)).id);
}

const filesReady = ({ call }) =>
  until('files at the provider', async () =>
    (await call('GET', '/api/files?limit=100')).every(({ provider }) => provider.state === 'ready'),
  );

async function createAssistants(demo) {
  const { call, ids } = demo;
  await filesReady(demo);
  for (const { versions: _, files: known, isDefault, ...assistant } of assistants) {
    const { id } = await call('POST', '/api/assistants', assistant);
    ids.assistants.set(assistant.name, id);
    if (isDefault) await call('POST', '/api/settings/default-assistant', { assistantId: id });
    if (known) {
      const path = `/api/assistants/${id}/files`;
      await call('POST', path, { fileIds: known.map((name) => ids.files.get(name)) });
      await until('indexed files', async () => (await call('GET', path)).every(({ state }) => state === 'ready'));
    }
  }
  await giveTools(demo);
}

/** A tool server that runs as a command, with the tools that the support desk uses. */
async function giveTools({ call, ids }) {
  const { id } = await call('POST', '/api/tool-servers/commands', { name: 'Workshop', command: 'workshop' });
  await until('tools', async () => (await call('GET', '/api/tool-servers')).find((one) => one.id === id)?.tools === 3);
  const { tools } = await call('GET', `/api/tool-servers/${id}/tools`);
  const chosen = tools.map(({ name, digest, isReadOnly }) => ({
    serverId: id,
    name,
    digest,
    approval: isReadOnly ? 'never' : 'always',
  }));
  await call('POST', `/api/assistants/${ids.assistants.get('Support desk')}/tools`, { tools: chosen });
}

async function changeAssistants({ call, ids }, today) {
  for (const { name, versions = [] } of assistants)
    for (const { daysAgo, changes } of versions)
      if (daysAgo === today) await call('PATCH', `/api/assistants/${ids.assistants.get(name)}`, changes);
}

/** Sends a message, and returns its answers once they are written or wait for the person. */
export async function ask(call, threadId, body, index) {
  await call('POST', `/api/threads/${threadId}/messages`, { ...body, clientId: `demo-${threadId}-${index}` });
  await until('an answer', async () => {
    const { runId, waitsForApproval } = await call('GET', `/api/threads/${threadId}`);
    return runId === null || waitsForApproval;
  });
  const { items } = await call('GET', `/api/threads/${threadId}/messages`);
  const answer = items.at(-1);
  if (answer.state === 'failed') throw new Error(`An answer of the demo failed: ${JSON.stringify(answer.error)}`);
  return answer;
}

async function converse(demo, { daysAgo, at, minutesAgo, title, assistant, model, models, exchanges, ...more }) {
  const { call, ids } = demo;
  if (minutesAgo === undefined) await demo.at(daysAgo, at);
  else await demo.minutesAgo(minutesAgo);
  const answering = assistant ? { assistantId: ids.assistants.get(assistant) } : { model: model ?? models[0] };
  const { id } = await call('POST', '/api/threads', { title, ...answering });
  for (const [index, { question, rating }] of exchanges.entries()) {
    const fileIds = index === 0 ? more.files?.map((name) => ids.files.get(name)) : undefined;
    const answer = await ask(call, id, { message: question, models, fileIds }, index);
    if (rating) await call('POST', `/api/messages/${answer.id}/rating`, { value: rating });
  }
  if (more.pinned) await call('PATCH', `/api/threads/${id}`, { pinned: true });
  return id;
}

async function pay(demo, { person, daysAgo, model, question }) {
  await demo.at(daysAgo, '11:00');
  const call = demo.calls[person];
  const { id } = await call('POST', '/api/threads', { model });
  await ask(call, id, { message: question }, 0);
}

/** From rated answers to a model, then to a comparison and a test, over three weeks. */
async function trainAndTest(demo, daysAgo) {
  const steps = { 31: answerHotline, 26: train, 12: compareModels, 9: runTestSets };
  if (steps[daysAgo]) {
    await demo.at(daysAgo, '15:30');
    await steps[daysAgo](demo);
  }
}

async function answerHotline(demo) {
  for (const [part, from] of [0, 4, 8, 12].entries())
    await converse(demo, {
      daysAgo: 31,
      at: ['15:30', '16:10', '16:50', '17:20'][part],
      title: `Hotline: ${['battery and tyres', 'care and charging', 'children and service', 'orders'][part]}`,
      assistant: 'Support desk',
      exchanges: hotline.slice(from, from + 4),
    });
}

async function train(demo) {
  const { call, ids } = demo;
  const assistantId = ids.assistants.get('Support desk');
  const dataset = await call('POST', '/api/fine-tuning/datasets', { name: 'Support answers', assistantId });
  const path = `/api/fine-tuning/datasets/${dataset.id}`;
  const { items } = await call('GET', `${path}/examples?limit=50`);
  for (const { id } of items.slice(0, 11)) await call('PATCH', `${path}/examples/${id}`, { review: 'kept' });
  const saved = await call('POST', `${path}/save`, { filename: 'support-answers', validationShare: 0.2 });
  ids.files.set('training', saved.training.id);
  ids.files.set('validation', saved.validation?.id ?? null);
  await startJob(demo, 'Support answers', 3);
  // The training takes a night: the next look finds it finished.
  await demo.at(25, '08:00');
  const [{ tunedModel }] = await until('a finished job', async () => {
    const jobs = await call('GET', '/api/fine-tuning/jobs');
    return jobs.every(({ status, tunedModel: model }) => status === 'succeeded' && model) && jobs;
  });
  await tryTunedModel(demo, tunedModel);
}

/** An assistant with the trained model answers as the examples do. */
async function tryTunedModel(demo, model) {
  const { call, ids } = demo;
  const draft = { name: 'Support desk, trained', model, color: 'amber', icon: 'graduation' };
  ids.assistants.set(draft.name, (await call('POST', '/api/assistants', draft)).id);
  await converse(demo, {
    daysAgo: 25,
    at: '09:30',
    title: 'A first try of the trained model',
    assistant: draft.name,
    exchanges: hotline.slice(4, 6),
  });
}

async function startJob(demo, name, epochs) {
  const { call, ids } = demo;
  await filesReady(demo);
  const job = await call('POST', '/api/fine-tuning/jobs', {
    name,
    baseModel,
    trainingFileId: ids.files.get('training'),
    validationFileId: ids.files.get('validation'),
    hyperparameters: { n_epochs: epochs },
  });
  await until(
    'a job at the provider',
    async () => (await call('GET', `/api/fine-tuning/jobs/${job.id}`)).providerJobId,
  );
}

/** The last minutes: a training that runs, and a budget of which nine tenths are spent. */
async function finish(demo) {
  const { call } = demo;
  await demo.minutesAgo(4);
  await startJob(demo, 'Support answers, more epochs', 10);
  await call('POST', '/api/analytics/budgets', { assistantId: null, amountUsd: 1_000 });
  const [{ spentUsd }] = await call('GET', '/api/analytics/budgets');
  const amountUsd = Math.max(0.01, Math.ceil((spentUsd / 0.91) * 100) / 100);
  await call('POST', '/api/analytics/budgets', { assistantId: null, amountUsd });
  for (const leave of demo.calls) await leave('POST', '/api/logout');
}
