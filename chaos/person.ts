import { setTimeout as wait } from 'node:timers/promises';
import { count, type Figures } from './figures.ts';

/** As the web client waits. */
const [firstWaitMs, longestWaitMs] = [500, 10_000];
const givesUpAfterMs = 240_000;
/** A response that has not started by then is a violation. */
const answersWithinMs = 30_000;

type Request = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: unknown;
  form?: () => FormData;
  headers?: Record<string, string>;
};
export type Settings = { port: number; figures: Figures };

/** 503, HAProxy's own errors (a process died in the middle of a request), and 500, which is recorded as a violation. */
const isAskedAgain = (status: number) => status === 429 || status >= 500;

/** A user at a browser: signed in, repeating a request unchanged if nothing answers or a part is unavailable. */
export class Person {
  readonly name: string;
  readonly #settings: Settings;
  #cookie = '';

  constructor(name: string, settings: Settings) {
    this.name = name;
    this.#settings = settings;
  }

  get figures() {
    return this.#settings.figures;
  }

  async register(hasKey: boolean) {
    const credentials = { email: `${this.name}@example.com`, password: 'correct horse battery' };
    const response = await this.ask({ method: 'POST', path: '/api/register', body: credentials });
    this.#cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await response.arrayBuffer();
    if (hasKey) await this.post('/api/settings/apikey', { apiKey: `sk-chaos-${this.name}-${'simulated'.repeat(3)}` });
  }

  async get<T>(path: string): Promise<T> {
    return (await this.ask({ method: 'GET', path })).json() as Promise<T>;
  }

  /** A write: counted once it is acknowledged. */
  async post<T>(path: string, body: unknown, method: 'POST' | 'PATCH' = 'POST'): Promise<T> {
    return this.#written(await this.ask({ method, path, body }));
  }

  async upload<T>(path: string, form: () => FormData): Promise<T> {
    return this.#written(await this.ask({ method: 'POST', path, form }));
  }

  async #written<T>(response: Response): Promise<T> {
    const text = await response.text();
    this.figures.acknowledgedAt.push(performance.now());
    return JSON.parse(text === '' ? 'null' : text) as T;
  }

  /** Retries until there is a response. @throws if it is rejected, or has no result after two minutes */
  async ask(request: Request): Promise<Response> {
    const { figures } = this;
    const startedAt = performance.now();
    figures.requests++;
    for (let attempt = 0; ; attempt++) {
      if (attempt === 1) figures.retried++;
      if (attempt > 0) figures.retries++;
      const response = await this.#once(request);
      if (response?.ok) {
        figures.longestGapMs = Math.max(figures.longestGapMs, performance.now() - startedAt);
        return response;
      }
      if (response && !isAskedAgain(response.status))
        throw new Error(`${request.method} ${request.path} answered ${response.status}: ${await response.text()}`);
      if (performance.now() - startedAt > givesUpAfterMs)
        throw new Error(`${request.method} ${request.path} was not answered within ${givesUpAfterMs / 1_000} s`);
      const asked = Number(response?.headers.get('retry-after') ?? 0) * 1_000;
      await response?.arrayBuffer().catch(() => undefined);
      const backOff = Math.min(firstWaitMs * 2 ** attempt, longestWaitMs) * (0.75 + Math.random() / 2);
      await wait(Math.max(asked, backOff));
    }
  }

  async #once({ method, path, body, form, headers = {} }: Request): Promise<Response | undefined> {
    const { figures } = this;
    const startedAt = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${this.#settings.port}${path}`, {
        method,
        headers: {
          'sec-fetch-site': 'same-origin',
          cookie: this.#cookie,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(form && { body: form() }),
        // For an event stream only the start is limited.
        signal: headers.accept ? null : AbortSignal.timeout(answersWithinMs),
      });
      // HAProxy's own response is a page, and means that no process was reached.
      const isOurs = response.headers.get('content-type')?.includes('json') ?? false;
      count(figures.statuses, response.status === 503 && !isOurs ? '503 of HAProxy' : response.status);
      if (response.status === 503 && isOurs) {
        figures.answered503Ms.push(performance.now() - startedAt);
        if (!response.headers.has('retry-after'))
          figures.faults.push(`${method} ${path} answered 503 without Retry-After`);
      }
      if (response.status === 500) figures.faults.push(`${method} ${path} answered 500`);
      return response;
    } catch (error) {
      count(figures.statuses, 'none');
      if (error instanceof Error && error.name === 'TimeoutError')
        figures.faults.push(`${method} ${path} was not answered within ${answersWithinMs / 1_000} s`);
      return undefined;
    }
  }
}
