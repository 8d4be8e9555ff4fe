import type { RunEvent } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { eventCall, frameOf } from './event-log.ts';
import { eventRepository } from './event-repository.ts';
import { runRepository } from './repository.ts';
import { type ServerCall, serverCallRepository } from './server-call-repository.ts';
import { approvableUntil } from './tool-steps.ts';
import type { AbandonedRun } from './unfinished-repository.ts';

/**
 * `none`: it was not the tools' turn, or it cannot go on. `waits`: for a person. `goes_on`: on this process. `taken`: another process
 * was quicker.
 */
export type ToolRecovery = 'none' | 'waits' | 'goes_on' | 'taken';

/**
 * Takes over a run that was left in its tools' turn. A call that was under way may have run: it is not made again without a
 * person's word, unless its tool may be called again.
 */
export function toolRecovery({ db, instance }: { db: Kysely<Database>; instance: number }) {
  return async function recover(run: AbandonedRun): Promise<ToolRecovery> {
    const open = await serverCallRepository(db).open(run.userId, run.id);
    return open.length === 0 ? 'none' : db.transaction().execute((trx) => takeOver(trx, run, instance));
  };
}

const isInDoubt = ({ state, mayRepeat }: ServerCall) => state === 'running' && !mayRepeat;

async function takeOver(trx: Kysely<Database>, run: AbandonedRun, instance: number): Promise<ToolRecovery> {
  const calls = serverCallRepository(trx);
  const runs = runRepository(trx);
  // Locks the run: what is open by then stays as it is.
  if (!(await runs.takeOver(run, instance))) return wasTaken(trx, run);
  const left = await calls.open(run.userId, run.id);
  // No person waits for the answer of a program, and nobody could be asked.
  if (run.programRunId !== null && left.some(isInDoubt)) {
    await runs.giveBack(run, instance);
    return 'none';
  }
  for (const call of left)
    if (isInDoubt(call)) await calls.doubt(run.userId, run.id, call.callId);
    else if (call.state === 'running') await calls.repeat(run.userId, run.id, call.callId);
  const now = await calls.open(run.userId, run.id);
  const waits = now.every(({ decision }) => decision === null);
  await tell(trx, run.id, waits ? now.map(asQuestion) : now.filter(({ state }) => state === 'uncertain'));
  if (!waits) return 'goes_on';
  return (await runs.wait(run.id, instance, approvableUntil())) ? 'waits' : 'none';
}

const asQuestion = (call: ServerCall): ServerCall => ({
  ...call,
  state: call.state === 'uncertain' ? call.state : 'waiting',
});

/** One that is to stop is ended like any other. */
async function wasTaken(trx: Kysely<Database>, { id, instance }: AbandonedRun): Promise<ToolRecovery> {
  return (await runRepository(trx).isToStop(id, instance)) ? 'none' : 'taken';
}

async function tell(trx: Kysely<Database>, runId: number, calls: readonly ServerCall[]) {
  if (calls.length === 0) return;
  const events = eventRepository(trx);
  const last = await events.lastNumber(runId);
  const told = calls.map((call): RunEvent => ({ type: 'tool', call: eventCall(call) }));
  const frames = told.map((event, index) => frameOf(last + 1 + index, event)).join('');
  await events.store([], [{ runId, first: last + 1, last: last + told.length, frames }]);
}
