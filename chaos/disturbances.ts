import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, untilSynchronous } from './cluster.ts';
import type { Member } from './postgres-member.ts';
import { startProcess, untilReady } from './processes.ts';

/**
 * A disturbance of the cluster while users work. Each leaves it intact. `endsAnswers`: it ends answers that a process
 * was generating.
 */
export type Disturbance = { name: string; endsAnswers?: boolean; happen: (cluster: Cluster) => Promise<void> };

export async function primaryOf({ members }: Pick<Cluster, 'members'>): Promise<Member | undefined> {
  const are = await Promise.all(members.map((member) => member.isPrimary()));
  return members[are.indexOf(true)];
}

async function expectPrimary(cluster: Cluster): Promise<Member> {
  let found: Member | undefined;
  await untilReady('the primary', async () => {
    found = await primaryOf(cluster);
    return found !== undefined;
  });
  if (!found) throw new Error('There is no primary');
  return found;
}

let next = 0;
async function killRoster({ rosters }: Cluster) {
  const roster = rosters[next++ % rosters.length];
  await roster?.kill();
  await wait(1_500);
  await roster?.start();
}

/** Patroni chooses the member with all acknowledged writes. */
async function switchOver(cluster: Cluster) {
  const primary = await expectPrimary(cluster);
  await tellPatroni(cluster, ['switchover', 'roster', '--master', primary.name, '--force']);
  await untilAnother(cluster, primary);
  await untilSynchronous(cluster.members);
}

async function untilAnother(cluster: Cluster, primary: Member) {
  await untilReady('another primary', async () => {
    const now = await primaryOf(cluster);
    return now !== undefined && now !== primary;
  });
}

/** patronictl exits with 0 even if it was refused; the members show the result. */
async function tellPatroni({ ground, members }: Cluster, args: string[]) {
  const { folder, programs, as } = ground;
  const [settings = ''] = members.map((member) => member.settings);
  const command = {
    name: 'patronictl',
    path: programs.path('patronictl'),
    args: ['-c', settings, ...args],
    folder,
    as,
  };
  await startProcess({ ...command, env: { LANG: 'C.UTF-8', HOME: folder } }).ended;
}

async function crashPrimary(cluster: Cluster) {
  const primary = await expectPrimary(cluster);
  await primary.crash();
  await untilAnother(cluster, primary);
  await wait(2_000);
  await primary.start();
  await untilSynchronous(cluster.members);
}

async function restartPooler({ pooler }: Cluster) {
  await pooler.stop();
  await wait(1_000);
  await pooler.start();
}

async function restartStore({ store }: Cluster) {
  await store.stop();
  await wait(6_000);
  await store.start();
}

const fullForMs = 12_000;
async function fillDisk(cluster: Cluster) {
  const { disk } = await expectPrimary(cluster);
  disk?.fill();
  await wait(fullForMs);
  disk?.free();
  await expectPrimary(cluster);
  await untilSynchronous(cluster.members);
}

const all: Disturbance[] = [
  { name: 'a process of Roster is killed with -9', endsAnswers: true, happen: killRoster },
  { name: 'the primary is switched over', happen: switchOver },
  { name: 'PgBouncer is restarted', happen: restartPooler },
  { name: 'the primary crashes', happen: crashPrimary },
  { name: 'the store is unavailable for six seconds', happen: restartStore },
];
const full: Disturbance = { name: 'the disk of the primary is full', happen: fillDisk };

/** All possible disturbances: a disk is filled only if it is a separate one. */
export const disturbancesOf = ({ members }: Pick<Cluster, 'members'>) =>
  members.every(({ disk }) => disk) ? [...all, full] : all;
