import type { RunEvent } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { eventCall, frameOf } from '#server/features/chat/runs/events/event-log';
import { eventRepository } from '#server/features/chat/runs/events/event-repository';
import { type AbandonedRun, runClaimRepository } from '#server/features/chat/runs/lifecycle/claim-repository';
import { type ServerCall, serverCallRepository } from '#server/features/chat/shared/server-call-repository';
import { approvalDeadline } from './tool-steps.ts';

/**
 * `none`: it was not calling tools, or cannot resume. `waits`: for an approval. `resumes`: on this instance. `taken`:
 * by another instance.
 */
type ToolRecovery = 'none' | 'waits' | 'resumes' | 'taken';

/**
 * Takes over a run that was abandoned while it called tools. A running call may have taken effect, so it is repeated
 * only after approval, unless the tool is repeatable.
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
  const runs = runClaimRepository(trx);
  // Locks the run, so its open calls do not change after this.
  if (!(await runs.takeOver(run, instance))) return wasTaken(trx, run);
  const left = await calls.open(run.userId, run.id);
  // API runs cannot ask for approval.
  if (run.apiRunId !== null && left.some(isInDoubt)) {
    await runs.giveBack(run, instance);
    return 'none';
  }
  for (const call of left)
    if (isInDoubt(call)) await calls.doubt(run.userId, run.id, call.callId);
    else if (call.state === 'running') await calls.repeat(run.userId, run.id, call.callId);
  const now = await calls.open(run.userId, run.id);
  const waits = now.every(({ decision }) => decision === null);
  await tell(trx, run.id, waits ? now.map(asQuestion) : now.filter(({ state }) => state === 'uncertain'));
  if (!waits) return 'resumes';
  return (await runs.wait(run.id, instance, approvalDeadline())) ? 'waits' : 'none';
}

const asQuestion = (call: ServerCall): ServerCall => ({
  ...call,
  state: call.state === 'uncertain' ? call.state : 'waiting',
});

/** A run with a stop request is ended like any other. */
async function wasTaken(trx: Kysely<Database>, { id, instance }: AbandonedRun): Promise<ToolRecovery> {
  return (await runClaimRepository(trx).isToStop(id, instance)) ? 'none' : 'taken';
}

async function tell(trx: Kysely<Database>, runId: number, calls: readonly ServerCall[]) {
  if (calls.length === 0) return;
  const events = eventRepository(trx);
  const last = await events.lastNumber(runId);
  const callEvents = calls.map((call): RunEvent => ({ type: 'tool', call: eventCall(call) }));
  const frames = callEvents.map((event, index) => frameOf(last + 1 + index, event)).join('');
  await events.store([], [{ runId, first: last + 1, last: last + callEvents.length, frames }]);
}
