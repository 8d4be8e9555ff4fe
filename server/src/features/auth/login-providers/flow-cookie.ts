import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { flowSeconds } from './flows.ts';

/** Binds a sign-in at Google or GitHub to this browser. Named like the session cookie, for the same reasons. */
export function flowCookie(secure: boolean) {
  const name = secure ? '__Host-sign-in' : 'sign-in';
  const attributes = { name, path: '/', httpOnly: true, secure, sameSite: 'lax' } as const;
  return {
    read: ({ headers: { cookie } }: FastifyRequest): string | undefined => cookie && parseCookie(cookie)[name],
    write: (reply: FastifyReply, value: string) =>
      reply.header('set-cookie', stringifySetCookie({ ...attributes, value, maxAge: flowSeconds })),
    clear: (reply: FastifyReply) =>
      reply.header('set-cookie', stringifySetCookie({ ...attributes, value: '', maxAge: 0 })),
  };
}

export type FlowCookie = ReturnType<typeof flowCookie>;
