import { request } from 'undici';
import type { TestApp } from './app.ts';

type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was answered
  body: any;
};

/** A request with only the given headers: neither a browser's nor a session's. */
export async function bareRequest(
  app: Pick<TestApp, 'url'>,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'OPTIONS' | 'TRACE',
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<Answer> {
  const response = await request(`${app.url}${path}`, { method, headers, body: body ?? null });
  const text = await response.body.text();
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return { status: response.statusCode, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
