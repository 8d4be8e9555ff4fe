import { connect } from 'node:net';
import { ownTime } from './process-clock.ts';

type Attack = {
  /** Sent at once. */
  head: string | Buffer;
  /** Sent repeatedly after that, whatever the server says; default: nothing until it has responded. */
  trickle?: string;
  /** At most this often before the response: bytes after a whole request would start the next one. */
  trickles?: number;
  /** Nothing is read from the server, and nothing is sent but the trickle, at this interval. */
  deafMs?: number;
};

export type Outcome = {
  answer: string;
  /** From the start until the whole response was received; undefined: none came. */
  answeredMs: number | undefined;
  /** From the start until the server had destroyed the connection, not only its half. */
  destroyedMs: number;
};

const everyMs = 40;

/**
 * A client that never closes and keeps sending after the response, until the server has closed the connection. Times
 * are this process's own, since the server runs in it and promises them on a machine that lets it work.
 */
export function attack(
  app: { url: string },
  { head, trickle, trickles = Number.POSITIVE_INFINITY, deafMs }: Attack,
): Promise<Outcome> {
  const { port } = new URL(app.url);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    const started = ownTime();
    let answer = '';
    let answeredMs: number | undefined;
    let isSaidGoodbye = false;
    if (deafMs !== undefined) socket.pause();
    else
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        answeredMs = ownTime() - started;
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
      // A deaf client notices only by the next write that fails.
      if (deafMs !== undefined) setTimeout(send, everyMs);
    }, deafMs ?? everyMs);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ answer, answeredMs, destroyedMs: ownTime() - started });
    });
  });
}
