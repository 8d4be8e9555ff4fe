import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { settlesWithin } from '#server/lib/with-timeout';

const reconnectMs = 1_000;
const connectWithinMs = 3_000;
const closeTimeoutMs = 1_000;
/** After the database is back, every running process has reconnected within this time. */
export const reconnectedWithinMs = reconnectMs + connectWithinMs + 1_000;

type Options = {
  url: string;
  /** The first query on each connection. */
  begin: { text: string; values: unknown[] };
  channel: string;
  onMessage: (payload: string) => void;
  onProblem: (error: unknown) => void;
};
/** `client`: the newest, which may still be connecting. `since`: when it last had to reconnect; undefined: never. */
type State = { client?: pg.Client; isClosed: boolean; since?: number };

/**
 * A PostgreSQL connection that listens on a channel and reconnects whenever it is cut: without it the other processes
 * would take this one for dead. `close` takes little more than a second, whatever the server does.
 */
export async function signalConnection(options: Options) {
  const state: State = { isClosed: false };
  await connect(options, state);
  return {
    /** The time of the last reconnection; unset while it is cut. undefined: it never had to reconnect. */
    since: () => state.since,
    close: () => close(state),
  };
}

async function connect(options: Options, state: State) {
  const { url, begin, channel, onMessage, onProblem } = options;
  const { Client } = (await import('pg')).default;
  if (state.isClosed) return;
  const client = new Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: connectWithinMs,
  });
  state.client = client;
  client.on('notification', ({ payload }) => onMessage(payload ?? '{}'));
  client.on('error', onProblem);
  try {
    await client.connect();
    await client.query(begin);
    await client.query(`listen ${channel}`);
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
  client.once('end', () => {
    state.since = Number.POSITIVE_INFINITY;
    void reconnect(options, state);
  });
}

async function reconnect(options: Options, state: State) {
  while (!state.isClosed)
    try {
      await connect(options, state);
      state.since = performance.now();
      return;
    } catch (error) {
      if (!state.isClosed) options.onProblem(error);
      await sleep(reconnectMs, undefined, { ref: false });
    }
}

async function close(state: State) {
  state.isClosed = true;
  const { client } = state;
  // A silent server never answers the goodbye.
  if (client && !(await settlesWithin(closeTimeoutMs, client.end()))) client.connection.stream.destroy();
}
