import { connect } from 'node:net';
import { ownTime } from './process-clock.ts';

type Attack = {
  /** Sent at once. */
  head: string | Buffer;
  /** Sent again and again after that, whatever the server says; default: nothing until it has answered. */
  trickle?: string;
  /** So often at most before the answer: what comes behind a whole request would be the next one. */
  trickles?: number;
  /** Nothing is read that the server sends, and nothing is sent but the trickle, each time after so long. */
  deafMs?: number;
};

export type Outcome = {
  answer: string;
  /** From the beginning until the whole answer was there; undefined: none came. */
  answeredMs: number | undefined;
  /** From the beginning until the server had destroyed the connection, not only its half of it. */
  destroyedMs: number;
};

const everyMs = 40;

/**
 * A client that never closes and, once it was answered, keeps sending: what it sends is taken until the server has let
 * go of the connection. Times are this process's own: the server is in it, and promises them on a machine that lets it work.
 */
export function attack(
  app: { url: string },
  { head, trickle, trickles = Number.POSITIVE_INFINITY, deafMs }: Attack,
): Promise<Outcome> {
  const { port } = new URL(app.url);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    const begun = ownTime();
    let answer = '';
    let answeredMs: number | undefined;
    let isSaidGoodbye = false;
    if (deafMs !== undefined) socket.pause();
    else
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        answeredMs = ownTime() - begun;
      });
    socket.on('end', () => {
      isSaidGoodbye = true;
    });
    socket.on('error', () => undefined);
    socket.write(head);
    let left = trickles;
    const send = () => {
      if (trickle !== undefined && left > 0) {
        left--;
        socket.write(trickle);
      } else if (answeredMs !== undefined || isSaidGoodbye) socket.write('x');
    };
    const timer = setInterval(() => {
      send();
      // Who hears nothing notices only by the next one that nobody takes it any more.
      if (deafMs !== undefined) setTimeout(send, everyMs);
    }, deafMs ?? everyMs);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ answer, answeredMs, destroyedMs: ownTime() - begun });
    });
  });
}
