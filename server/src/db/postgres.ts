import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';
import { UnavailableError } from '#server/lib/errors';
import { createWatchdog, UnresponsiveError, type Watchdog } from '#server/lib/watchdog';

const closeTimeoutMs = 1_500;

/** The error for writes to a server that is not, or no longer, the primary. */
const readOnly = '25006';
/**
 * Errors of the system, of PostgreSQL, and of a pooler in front of it (08P01), when a server cannot be reached or used:
 * class 08, 57P (stopping or starting), 53 (disk full, out of memory, too many connections), 58 (disk failure).
 */
const unavailableCode =
  /^(E(CONNREFUSED|CONNRESET|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|08...|57P0.|53...|58...|25006)$/;
const unavailableMessage =
  /^(Connection terminated|timeout exceeded when|timeout expired|Client (has encountered|was closed))/;

const isUnavailable = (error: unknown) =>
  error instanceof Error &&
  (error instanceof UnresponsiveError ||
    ('code' in error && typeof error.code === 'string' && unavailableCode.test(error.code)) ||
    unavailableMessage.test(error.message));

const isReadOnly = (error: unknown) => error instanceof Error && 'code' in error && error.code === readOnly;

/** A PostgreSQL dialect that reports an unavailable server within seconds. */
export function postgresDialect(pool: pg.Pool, newClient: () => pg.Client): Dialect {
  const connections = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    connections.add(client);
    // While a connection is in use the pool does not listen; its query fails with the same error.
    client.on('error', () => undefined);
  });
  pool.on('remove', (client) => connections.delete(client));
  const leaveAll = () => {
    for (const client of connections) client.connection.stream.destroy();
  };
  const watch = createWatchdog({
    async probe() {
      const client = newClient();
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('select 1');
      } finally {
        // A silent server never answers the goodbye.
        client.end().catch(() => undefined);
        setTimeout(() => client.connection.stream.destroy(), closeTimeoutMs).unref();
      }
    },
    onAway: leaveAll,
  });
  const connect = pool.connect.bind(pool);
  pool.connect = () => connected(watch, () => connect());
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new WatchedDriver(pool, watch, leaveAll),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

async function connected(watch: Watchdog, connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
  let isWanted = true;
  try {
    return await watch.during(async () => {
      const client = await connect();
      // A connection that comes too late for its request is returned to the pool.
      if (!isWanted) client.release();
      return client;
    });
  } catch (error) {
    isWanted = false;
    throw new UnavailableError('database', error);
  }
}

class WatchedDriver extends PostgresDriver {
  readonly #watch: Watchdog;
  readonly #leaveAll: () => void;
  readonly #known = new WeakSet<DatabaseConnection>();

  constructor(pool: pg.Pool, watch: Watchdog, leaveAll: () => void) {
    super({ pool });
    this.#watch = watch;
    this.#leaveAll = leaveAll;
  }

  override async acquireConnection(options?: AbortableOperationOptions) {
    const connection = await super.acquireConnection(options);
    if (!this.#known.has(connection)) this.#watchQueries(connection);
    return connection;
  }

  #watchQueries(connection: DatabaseConnection) {
    this.#known.add(connection);
    const { executeQuery } = connection;
    connection.executeQuery = <Row>(query: CompiledQuery, options?: AbortableOperationOptions) => {
      const execute = executeQuery<Row>;
      const mapError = (error: unknown) => this.#mapError(error);
      return this.#watch.during(() => execute.call(connection, query, options).catch(mapError)).catch(mapError);
    };
  }

  #mapError(error: unknown): never {
    // Connections to a former primary would stay there forever.
    if (isReadOnly(error)) this.#leaveAll();
    throw isUnavailable(error) ? new UnavailableError('database', error) : error;
  }

  override async destroy() {
    this.#watch.stop();
    await super.destroy();
  }
}
