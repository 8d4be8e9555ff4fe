import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../server/src/testing/free-port.ts';
import { prepareEnvironment } from './environment.ts';
import { etcd } from './etcd.ts';
import { haproxy } from './haproxy.ts';
import { pgbouncer } from './pgbouncer.ts';
import { type Member, passwords, postgresMember } from './postgres-member.ts';
import { untilReady } from './processes.ts';
import { provider, rosterProcess } from './rosters.ts';
import { swift } from './swift.ts';

const processes = 3;
/** Large enough for the database of a run, small enough to be filled in a second. */
const diskMegabytes = 600;

/**
 * Starts everything: the database with automatic failover, the pooler, the store, the provider, three processes and the
 * load balancer.
 */
export async function startCluster(say: (what: string) => void) {
  const ground = prepareEnvironment();
  const keeper = await etcd(ground);
  await keeper.start();
  const members = [
    await postgresMember(ground, { name: 'member-1', etcdPort: keeper.port, diskMegabytes }),
    await postgresMember(ground, { name: 'member-2', etcdPort: keeper.port, diskMegabytes }),
    await postgresMember(ground, { name: 'member-3', etcdPort: keeper.port, diskMegabytes }),
  ];
  const rosterPorts: number[] = [];
  for (let number = 0; number < processes; number++) rosterPorts.push(await freePort());
  const [balancer, store, model] = [
    await haproxy(ground, members, rosterPorts),
    await swift(ground),
    await provider(ground),
  ];
  const pooler = await pgbouncer(ground, balancer.primary);
  await Promise.all([startMembers(members), store.start(), model.start(), balancer.start()]);
  say('PostgreSQL with Patroni and etcd, Swift and HAProxy are there');
  const direct = `postgres://roster:${passwords.roster}@127.0.0.1:${balancer.primary}/roster`;
  await makeDatabase(balancer.primary);
  await pooler.start();
  const env = {
    PUBLIC_URL: `http://127.0.0.1:${balancer.people}`,
    TRUST_PROXY: '1',
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: direct,
    MASTER_KEY: randomBytes(32).toString('base64'),
    PROVIDER_BASE_URL: model.url,
    RATE_LIMIT_SCALE: '10000',
    LOG_LEVEL: 'info',
    ...store.env,
  };
  const rosters = rosterPorts.map((port, index) => rosterProcess(ground, `roster-${index + 1}`, port, env));
  for (const roster of rosters) await roster.start();
  say('PgBouncer and three processes of Roster are there');
  return { ground, members, pooler, store, rosters, port: balancer.people };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** The first is the primary; the others copy it. */
async function startMembers(members: Member[]) {
  const [first, ...others] = members;
  if (!first) return;
  await first.start();
  await untilReady('the first primary', first.isPrimary);
  await Promise.all(others.map((member) => member.start()));
  await untilSynchronous(members);
}

type State = { role: string; state: string; sync_standby?: boolean };

/** A member's state according to Patroni; undefined: no response. */
async function stateOf({ restPort }: Member): Promise<State | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${restPort}/patroni`, { signal: AbortSignal.timeout(2_000) });
    const state: State = await response.json();
    return state;
  } catch {
    return undefined;
  }
}

/** Waits until a second member has everything that the primary acknowledges, so that the next crash loses nothing. */
export async function untilSynchronous(members: Member[], withinMs = 90_000) {
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    const states = await Promise.all(members.map(stateOf));
    const isThere = (state: State | undefined) => state?.state === 'running';
    if (states.every(isThere) && states.some((state) => state?.sync_standby)) return;
    await wait(200);
  }
  throw new Error('The members of the database were not all there again; see the logs of the members');
}

async function makeDatabase(port: number) {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: passwords.postgres,
    database: 'postgres',
  });
  await untilReady('the balancer to the primary', async () => {
    const probe = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: passwords.postgres });
    probe.on('error', () => undefined);
    await probe.connect();
    await probe.end();
    return true;
  });
  await client.connect();
  await client.query(`create role roster login password '${passwords.roster}'`);
  await client.query('create database roster owner roster');
  await client.end();
}
