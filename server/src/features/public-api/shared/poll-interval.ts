import type { FastifyReply } from 'fastify';

const soonestMs = 500;
/** What the clients wait where nothing is said. */
const latestMs = 5_000;

/** Later, the less is left of the calls of this minute: programs that wait for several things at once do not use them up. */
export const pollIntervalMs = ({ limit, remaining }: { limit: number; remaining: number }) =>
  Math.min(latestMs, Math.round((soonestMs * limit) / Math.max(1, remaining)));

const underWay = new Set(['queued', 'in_progress', 'cancelling']);

/** An answer that a program asks for again until it is at an end, with when to do so, which the official clients obey. */
export function withPollInterval<Answer extends { status: string }>(reply: FastifyReply, answer: Answer): Answer {
  const standing = (name: string) => Number(reply.getHeader(`x-ratelimit-${name}-requests`));
  if (underWay.has(answer.status))
    reply.header(
      'openai-poll-after-ms',
      pollIntervalMs({ limit: standing('limit'), remaining: standing('remaining') }),
    );
  return answer;
}
