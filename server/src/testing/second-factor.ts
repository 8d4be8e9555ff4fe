import { vi } from 'vitest';
import { password } from './app.ts';
import { codeAt } from './authenticator-app.ts';
import type { HttpClient } from './http-client.ts';

const stepMs = 30_000;

/** Roster’s clock stands still from now on, so that a code belongs to one step. Call `vi.useRealTimers` afterwards. */
export const stopClock = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
export const passTime = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** The code that the authenticator app shows now; `steps` later or earlier. */
export const codeOf = (secret: string, steps = 0): string => codeAt(secret, Date.now() + steps * stepMs);

/** The code of the next step, which nobody has used. */
export function nextCode(secret: string): string {
  passTime(stepMs);
  return codeOf(secret);
}

/** Six digits that are no code of the app about now. */
export function wrongCodeOf(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)));
  for (let code = 100_000; ; code++) if (!near.has(String(code))) return String(code);
}

/** Sets up an authenticator app for a signed-in user. */
export async function addApp(visitor: HttpClient): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await visitor.post('/api/user/second-factor/app')).body;
  const { status, body } = await visitor.post('/api/user/second-factor/app/confirm', { code: codeOf(secret) });
  if (status !== 200) throw new Error(`the app was not added: ${JSON.stringify(body)}`);
  return { secret, recoveryCodes: body.recoveryCodes };
}

export const firstStep = (visitor: HttpClient, email: string) => visitor.post('/api/login', { email, password });

export const secondStep = (visitor: HttpClient, code: string, remember = false) =>
  visitor.post('/api/login/second-factor', { code, remember });
