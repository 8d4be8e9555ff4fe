import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionCookie } from '#server/http/sessions/cookie';
import type { SessionService } from '#server/http/sessions/sessions';
import { AppError } from '#server/lib/errors';
import type { SignInCookies } from './browser-cookie.ts';
import type { SignInOutcome } from './complete-sign-in.ts';

type Dependencies = {
  sessions: Pick<SessionService, 'endToken'>;
  cookie: SessionCookie;
  cookies: SignInCookies;
};

/** Gives the outcome of a sign-in to the browser. */
export function signInResponse({ sessions, cookie, cookies }: Dependencies) {
  async function writeSession(request: FastifyRequest, reply: FastifyReply, token: string) {
    const presented = cookie.read(request);
    if (presented) await sessions.endToken(presented);
    if (cookies.challenge.read(request)) cookies.challenge.clear(reply);
    cookie.write(reply, token);
  }

  return {
    /** The token of a remembered device, for `completeSignIn`. */
    remembered: (request: FastifyRequest) => cookies.device.read(request),
    /** Ends the session that the browser presented, and gives it the new one. */
    writeSession,
    /** false: the second step follows. A session that the browser has stays until then. */
    async write(request: FastifyRequest, reply: FastifyReply, outcome: SignInOutcome): Promise<boolean> {
      if (outcome.kind === 'session') await writeSession(request, reply, outcome.token);
      else cookies.challenge.write(reply, outcome.token);
      return outcome.kind === 'session';
    },
  };
}

export type SignInResponse = ReturnType<typeof signInResponse>;

export const secondFactorRequired = ({ ways }: Extract<SignInOutcome, { kind: 'second_factor' }>) =>
  new AppError('second_factor_required', 'Enter the code from your second factor.', { ways });
