import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const thirtyDays = 30 * 24 * 60 * 60;

/**
 * The session cookie. The `__Host-` prefix binds it to this host over https. Some browsers refuse Secure cookies on
 * plain-http loopback, so the name has no prefix there.
 */
export function sessionCookie(secure: boolean) {
  const name = secure ? '__Host-session' : 'session';
  const attributes = { name, path: '/', httpOnly: true, secure, sameSite: 'lax' } as const;
  return {
    name,
    read(request: FastifyRequest): string | undefined {
      const { cookie } = request.headers;
      const token = cookie && parseCookie(cookie)[name];
      return token && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
    },
    write: (reply: FastifyReply, token: string) =>
      reply.header('set-cookie', stringifySetCookie({ ...attributes, value: token, maxAge: thirtyDays })),
    clear: (reply: FastifyReply) =>
      reply.header('set-cookie', stringifySetCookie({ ...attributes, value: '', maxAge: 0 })),
  };
}

export type SessionCookie = ReturnType<typeof sessionCookie>;
