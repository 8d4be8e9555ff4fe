import type { Endpoint } from '@roster/contracts/endpoint';
import { ErrorBody, errorStatus } from '@roster/contracts/errors';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { policySetting } from '#server/security/second-factor-policy-repository';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { setUser, withDatabase } from '#server/testing/database';
import { form, formType, uploaded } from '#server/testing/files';
import { extremes, generator, seeded } from '#server/testing/generated';
import { ownTime } from '#server/testing/process-clock';
import { bareRequest } from '#server/testing/test-environment';
import { watchdog } from '#server/testing/watchdog';

/** Per call; each engine gets its share with different input. Releases are checked with GENERATED_CASES=2000. */
const cases = Number(process.env.GENERATED_CASES ?? 100) / engines.length;
const atOnce = 10;
/** In this process's own time: far more than any response takes, yet finite. */
const answeredWithinMs = 30_000;
const statusOf: ReadonlyMap<string, number> = new Map(Object.entries(errorStatus));
/** Failures of the server itself; a failing provider is not ours, and the simulator fails at times. */
const isOurFailure = (status: number, code: unknown) => status >= 500 && code !== 'provider_failed';

/** Cached per schema: they are needed for every input. */
const schemas = new Map<z.ZodType, Record<string, unknown>>();
function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const cached = schemas.get(schema);
  if (cached) return cached;
  const made = { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
  schemas.set(schema, made);
  return made;
}

/** Well-formed as far as a URL can be: lone surrogates have no encoding. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

function madeUp(endpoint: Endpoint, seed: string, ids: readonly number[]) {
  const random = generator(seeded(`${endpoint.method} ${endpoint.path} ${seed}`), ids);
  const params = new Map(random.texts(schemaOf(endpoint.params)));
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encoded(params.get(name) ?? '').slice(0, 300));
  const query = random
    .texts(schemaOf(endpoint.query))
    .map(([name, text]) => `${encoded(name)}=${encoded(text)}`)
    .join('&');
  const body =
    endpoint.method === 'GET'
      ? undefined
      : endpoint.accepts === 'multipart'
        ? madeUpForm(random, schemaOf(endpoint.body))
        : random.body(schemaOf(endpoint.body));
  return { path: query ? `${path}?${query}` : path, body };
}

type Input = { path: string; body: string | undefined };

const addressOf = (endpoint: Endpoint, params: ReadonlyMap<string, string>, query: [string, string][]) => {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encoded(params.get(name) ?? ''));
  const search = query.map(([name, text]) => `${encoded(name)}=${encoded(text)}`).join('&');
  return search ? `${path}?${search}` : path;
};

/**
 * Extreme values for each field of each call, one at a time. Sends all values that the contract accepts, and one
 * rejected value per field, since the rest would be answered by the contract alone.
 */
function* extremeInputs(endpoint: Endpoint, engine: string, ids: readonly number[]): Generator<Input> {
  if (endpoint.accepts === 'multipart') return;
  const made = generator(seeded(`${endpoint.method} ${endpoint.path} ${engine}`), ids, 0);
  const params = () => new Map(made.texts(schemaOf(endpoint.params)));
  const query = () => made.texts(schemaOf(endpoint.query));
  const body = () => made.value(schemaOf(endpoint.body));
  const written = (value: unknown) => (endpoint.method === 'GET' ? undefined : (JSON.stringify(value) ?? ''));
  const texts = (value: unknown) => Object.entries(z.record(z.string(), z.string()).parse(value));
  const refused = new Set<string>();
  const isWorthSending = (part: z.ZodType, place: string, value: unknown) =>
    part.safeParse(value).success || (!refused.has(place) && refused.add(place).size > 0);

  for (const { path, value } of extremes(schemaOf(endpoint.params), () => Object.fromEntries(params()), true))
    if (isWorthSending(endpoint.params, `params ${path}`, value))
      yield { path: addressOf(endpoint, new Map(texts(value)), query()), body: written(body()) };
  for (const { path, value } of extremes(schemaOf(endpoint.query), () => Object.fromEntries(query()), true))
    if (isWorthSending(endpoint.query, `query ${path}`, value))
      yield { path: addressOf(endpoint, params(), texts(value)), body: written(body()) };
  if (endpoint.method === 'GET') return;
  for (const { path, value } of extremes(schemaOf(endpoint.body), body, false))
    if (isWorthSending(endpoint.body, `body ${path}`, value))
      yield { path: addressOf(endpoint, params(), query()), body: written(value) };
}

/** Texts from the schema, and usually one file with some name, type and content; sometimes truncated. */
function madeUpForm(random: ReturnType<typeof generator>, schema: Record<string, unknown>): Buffer {
  const text = () => random.texts({ type: 'object', properties: { a: {} }, required: ['a'] })[0]?.[1] ?? '';
  const parts = random.texts(schema).map(([name, content]) => ({ name, content }));
  const file = () => ({ name: 'file', filename: text(), type: text(), content: text() });
  const whole = form([...parts, ...(random.chance(0.9) ? [file()] : []), ...(random.chance(0.1) ? [file()] : [])]);
  return random.chance(0.1) ? whole.subarray(0, Math.floor(whole.length / 2)) : whole;
}

/** undefined: no response in time. */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const started = ownTime();
  const late = Promise.withResolvers<undefined>();
  const look = setInterval(() => {
    if (ownTime() - started > answeredWithinMs) late.resolve(undefined);
  }, 1_000);
  return Promise.race([answer, late.promise]).finally(() => clearInterval(look));
}

describe.each(engines)('generated input for every call on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  /** A user with all permissions who owns something. */
  async function person(name: string) {
    // A generated call may have required a second factor of everybody, which nobody here has.
    await withDatabase(app, (db) => db.deleteFrom('settings').where('name', '=', policySetting).execute());
    const visitor = await app.withKey(name);
    const ids = [await createAssistant(visitor), await createAssistant(visitor)];
    for (const [index, title] of ['One', 'Two'].entries()) {
      const { body: thread } = await visitor.post('/api/threads', { title });
      const clientId = `a1b2c3d4-0000-4000-8000-00000000000${index}`;
      const { body } = await visitor.post(`/api/threads/${thread.id}/messages`, { message: 'Hello', clientId });
      ids.push(thread.id, body.message.id, body.run.id);
    }
    for (const filename of ['a.txt', 'b.jsonl']) ids.push((await uploaded(app, visitor, { filename })).id);
    await setUser(app, `${name}@example.com`, { role: 'Admin' });
    return { ids, cookie: [...visitor.cookies].map(([key, value]) => `${key}=${value}`).join('; ') };
  }

  test(`gets only declared responses, ${cases} times each`, async () => {
    const failures: unknown[] = [];
    const dog = watchdog(answeredWithinMs);
    onTestFinished(async () => void (await dog.stop()));
    let someone = await person('first');
    for (const [index, endpoint] of app.endpoints.entries()) {
      const { cookie, ids } = someone;
      const succeeded = { count: 0 };
      const check = async ({ path, body }: { path: string; body: string | Buffer | undefined }) => {
        dog.note(`${endpoint.method} ${path} ${body?.toString().slice(0, 200)}`);
        const type = endpoint.accepts === 'multipart' ? formType : 'application/json';
        const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': type };
        const answer = await inTime(bareRequest(app, endpoint.method, path, headers, body));
        if (answer?.status === endpoint.status) return void succeeded.count++;
        const refused = ErrorBody.safeParse(answer?.body);
        const isDeclared = answer && refused.success && statusOf.get(refused.data.code) === answer.status;
        if (!isDeclared || isOurFailure(answer.status, answer.body.code))
          failures.push({
            call: `${endpoint.method} ${path}`,
            body: body?.toString().slice(0, 500),
            answer: answer?.text ?? 'none in time',
          });
      };
      for (let number = 0; number < cases; number += atOnce)
        await Promise.all(
          Array.from({ length: atOnce }, (_, offset) => check(madeUp(endpoint, `${engine} ${number + offset}`, ids))),
        );
      const extreme = extremeInputs(endpoint, engine, ids);
      const takeTurns = async () => {
        for (const input of extreme) await check(input);
      };
      await Promise.all(Array.from({ length: atOnce }, takeTurns));
      // The next call needs what this one may have ended or deleted.
      if (endpoint.method !== 'GET') someone = await person(`person${index}`);
      if (process.env.TEST_LOG_LEVEL) process.stderr.write(`${endpoint.method} ${endpoint.path} ${succeeded.count}\n`);
    }
    expect(failures).toEqual([]);
  });
});
