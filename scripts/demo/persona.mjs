import { parseArgs } from 'node:util';
import { personas } from '../../simulator/src/personas/server.ts';
import { ask } from './account.mjs';
import { personCalls } from './calls.mjs';
import { password, people } from './story.mjs';

/** The persona that `--provider` names; undefined: none was named. @throws Error that lists them */
export function chosenPersona(args) {
  const { provider } = parseArgs({ args, options: { provider: { type: 'string' } } }).values;
  if (provider === undefined) return undefined;
  const found = personas.find(({ id }) => id === provider);
  if (found) return found;
  throw new Error(`--provider: '${provider}' is none of ${personas.map(({ id }) => id).join(', ')}.`);
}

const minuteMs = 60_000;
const conversations = [
  ['Primes', ['What is a prime number?', '[[think]] Is 97 one of them?']],
  ['Zürich', ['What can I do in Zürich on a rainy day?']],
];

/** Uses a persona with what each of them has: conversations with its model, and an assistant. */
export async function meetPersona(url, setClock, { model, name }) {
  await setClock(Date.now() - 10 * minuteMs);
  const calls = people.map((person) => personCalls(url, { ...person, password }));
  for (const [index, { email, name: own }] of people.entries()) {
    await calls[index]('POST', '/api/register', { email, password });
    await calls[index]('PATCH', '/api/user', { name: own });
    await calls[index]('POST', '/api/settings/apikey', { apiKey: `key-of-${`demo${index}`.repeat(8)}` });
  }
  const [call] = calls;
  const instructions = 'Explain in one sentence, then give an example.';
  const { id: assistantId } = await call('POST', '/api/assistants', { name: 'Tutor', model, instructions });
  for (const [index, [title, questions]] of conversations.entries()) {
    const answering = index === 0 ? { assistantId } : { model };
    const { id } = await call('POST', '/api/threads', { title, ...answering });
    for (const [number, message] of questions.entries()) await ask(call, id, { message }, number);
  }
  await setClock(Date.now() - minuteMs);
  console.log(`${name} answers; its model is ${model}.`);
}
