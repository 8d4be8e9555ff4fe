import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Settings = { name: string; seconds: number; secure: boolean };

/** Binds something to one browser: a token that scripts cannot read. Named like the session cookie, for its reasons. */
export function browserCookie({ name: given, seconds, secure }: Settings) {
  const name = secure ? `__Host-${given}` : given;
  const attributes = { name, path: '/', httpOnly: true, secure, sameSite: 'lax' } as const;
  return {
    read({ headers: { cookie } }: FastifyRequest): string | undefined {
      const token = cookie && parseCookie(cookie)[name];
      return token && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
    },
    write: (reply: FastifyReply, value: string) =>
      reply.header('set-cookie', stringifySetCookie({ ...attributes, value, maxAge: seconds })),
    clear: (reply: FastifyReply) =>
      reply.header('set-cookie', stringifySetCookie({ ...attributes, value: '', maxAge: 0 })),
  };
}

export type BrowserCookie = ReturnType<typeof browserCookie>;

/** The cookies of a sign-in in two steps. */
export const signInCookies = (secure: boolean) => ({
  challenge: browserCookie({ name: 'second-step', seconds: 10 * 60, secure }),
  device: browserCookie({ name: 'device', seconds: 30 * 24 * 60 * 60, secure }),
});

export type SignInCookies = ReturnType<typeof signInCookies>;
