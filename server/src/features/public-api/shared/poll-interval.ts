import type { FastifyReply } from 'fastify';

const soonestMs = 500;
/** Default interval of the official clients. */
const latestMs = 5_000;

/** Grows as fewer of this minute's calls remain, so that clients that poll for several things do not use them up. */
const pollIntervalMs = ({ limit, remaining }: { limit: number; remaining: number }) =>
  Math.min(latestMs, Math.round((soonestMs * limit) / Math.max(1, remaining)));

const inProgress = new Set(['queued', 'in_progress', 'cancelling']);

/** Sets the poll interval, which the official clients obey, on an answer that is not final yet. */
export function withPollInterval<Answer extends { status: string }>(reply: FastifyReply, answer: Answer): Answer {
  const standing = (name: string) => Number(reply.getHeader(`x-ratelimit-${name}-requests`));
  if (inProgress.has(answer.status))
    reply.header(
      'openai-poll-after-ms',
      pollIntervalMs({ limit: standing('limit'), remaining: standing('remaining') }),
    );
  return answer;
}
