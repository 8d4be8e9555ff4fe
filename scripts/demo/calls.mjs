import { setTimeout as delay } from 'node:timers/promises';

/** The calls that a person's browser makes: signs in when it has to, and fails with what the server says. */
export function personCalls(url, { email, password }) {
  let cookie = '';
  async function send(method, path, body) {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { origin: url, cookie, ...(body && !isForm && { 'content-type': 'application/json' }) },
      body: isForm || !body ? body : JSON.stringify(body),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text };
  }
  async function call(method, path, body) {
    let answer = await send(method, path, body);
    if (answer.status === 401 && path !== '/api/login') {
      await call('POST', '/api/login', { email, password });
      answer = await send(method, path, body);
    }
    if (answer.status >= 400) throw new Error(`${method} ${path} ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  return call;
}

/** Waits for a state that background work reaches. */
export async function until(what, reached) {
  // Long, because other programs may keep a machine busy.
  const started = performance.now();
  while (performance.now() - started < 120_000) {
    const value = await reached();
    if (value) return value;
    await delay(performance.now() - started < 1_000 ? 10 : 50);
  }
  throw new Error(`The demo waited in vain: ${what}`);
}
