import { request } from 'undici';

type Answer = {
  status: number;
  /** Parsed JSON, or the text if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was answered; types would only repeat it
  body: any;
  headers: Record<string, string | string[] | undefined>;
};

type Extra = { headers?: Record<string, string> };

/** `url` is where the server listens, `origin` the origin of the page that makes the calls. */
type Place = { url: string; origin: string };

/** A browser with its own cookies, as the server sees one. */
export function createHttpClient(place: () => Place) {
  const cookies = new Map<string, string>();

  async function sendRequest(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    extra: Extra = {},
  ): Promise<Answer> {
    const response = await request(`${place().url}${path}`, {
      method,
      headers: {
        origin: place().origin,
        'sec-fetch-site': 'same-origin',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36',
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...extra.headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    for (const cookie of [response.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = cookie.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    const text = await response.body.text();
    return { status: response.statusCode, body: parsed(text), headers: response.headers };
  }

  return {
    cookies,
    get: (path: string, extra?: Extra) => sendRequest('GET', path, undefined, extra),
    post: (path: string, body: unknown = {}, extra?: Extra) => sendRequest('POST', path, body, extra),
    put: (path: string, body: unknown = {}, extra?: Extra) => sendRequest('PUT', path, body, extra),
    patch: (path: string, body: unknown = {}, extra?: Extra) => sendRequest('PATCH', path, body, extra),
    delete: (path: string, body?: unknown, extra?: Extra) => sendRequest('DELETE', path, body, extra),
  };
}

export type HttpClient = ReturnType<typeof createHttpClient>;

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
