import type { Role } from '@roster/contracts/auth';
import type { ApprovalDecision, Run, RunEvent, ToolCall } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { lockActiveUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { eventCall, frameOf } from '#server/features/chat/runs/events/event-log';
import { eventRepository } from '#server/features/chat/runs/events/event-repository';
import { runClaimRepository } from '#server/features/chat/runs/lifecycle/claim-repository';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { type ServerCall, serverCallRepository } from '#server/features/chat/shared/server-call-repository';
import { toPublicCall } from '#server/features/chat/shared/tool-call-repository';
import type { BudgetedCall } from '#server/features/usage/budget-repository';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';

/** `decide` stores a decision and returns whether this instance resumes the run. */
type ResumeIf = <T>(
  userId: number,
  runId: number,
  decide: () => Promise<{ result: T; resumes: boolean }>,
) => Promise<T>;

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  instance: number;
  executor: {
    refuseWhenClosing: (userId: number) => void;
    resumeIf: ResumeIf;
  };
  /** @throws AppError if the run could not resume: no key, or a budget is used up */
  checkResumable: (userId: number, call: BudgetedCall, settings: string) => Promise<void>;
};

type DecisionInput = { decision: ApprovalDecision; reason?: string | undefined };
type Decision = DecisionInput & { callId: string };

const noRun = () => new AppError('not_found', 'This run does not exist.');
const notWaiting = () =>
  new AppError('conflict', 'This call has already been decided, or the answer has ended. Reload the conversation.');

/** A Viewer must not cause changes, but may deny a call so that the answer continues. */
function checkApproving(role: Role, decision: ApprovalDecision) {
  if (role === 'Viewer' && decision !== 'deny')
    throw new AppError('not_allowed', 'As a Viewer, you can deny a tool call but not approve it.');
}

/** Stores the user's decisions on calls, and resumes runs. */
export function runApprovals({ database: { db }, instance, executor, checkResumable }: Dependencies) {
  return async function decide(actor: Actor, runId: number, choice: Decision): Promise<Run> {
    const { userId } = actor;
    executor.refuseWhenClosing(userId);
    checkApproving(actor.role, choice.decision);
    const waiting = await runClaimRepository(db).findResumable(userId, runId);
    if (!waiting) throw noRun();
    // Checked before anything is stored, so that the user can fix it and decide again.
    if (choice.decision !== 'deny' && waiting.toolLoop !== null)
      await checkResumable(userId, waiting, waiting.toolLoop);
    await executor.resumeIf(userId, runId, async () => ({
      result: undefined,
      resumes: await db.transaction().execute(async (trx) => {
        await actor.recheckAccess(trx);
        // The role may have changed since the request started.
        checkApproving((await lockActiveUser(trx, userId)) ?? 'Viewer', choice.decision);
        return store(trx, userId, runId, choice, instance);
      }),
    }));
    const run = await runRepository(db).find(userId, runId);
    if (!run) throw noRun();
    return run;
  };
}

export type RunApprovals = ReturnType<typeof runApprovals>;

/** Returns whether all calls are decided, so that the run resumes. */
async function store(trx: Kysely<Database>, userId: number, runId: number, choice: Decision, instance: number) {
  const claims = runClaimRepository(trx);
  const calls = serverCallRepository(trx);
  const run = await claims.takeWaiting(userId, runId);
  const call = await calls.find(userId, runId, choice.callId);
  if (!call) throw new AppError('not_found', 'This call does not exist.');
  if (!run || (run.waitsUntil ?? '') <= new Date().toISOString() || call.output !== null || call.decision !== null)
    throw notWaiting();
  const open = (await calls.open(userId, runId)).filter(({ decision }) => decision === null);
  const decided =
    choice.decision === 'deny'
      ? [call]
      : [call, ...(await alsoApproved(trx, userId, run.threadId, choice, call, open))];
  for (const one of decided) await keep(calls, userId, runId, one, choice);
  await tell(
    trx,
    runId,
    decided.map((one) => ({ ...one, ...outcomeOf(one, choice) })),
  );
  if (decided.length < open.length) return false;
  await claims.resume(userId, runId, instance);
  return true;
}

/** Stores the approval for later calls if requested; returns the run's other open calls that it covers. */
async function alsoApproved(
  trx: Kysely<Database>,
  userId: number,
  threadId: number,
  { decision }: Decision,
  { callId, serverId, tool, digest }: ServerCall,
  open: readonly ServerCall[],
): Promise<ServerCall[]> {
  if (serverId === null || tool === null || digest === null) return [];
  const given = decision === 'approve_thread' ? 'thread' : 'once';
  await serverCallRepository(trx).approve(userId, threadId, { serverId, tool, digest, given });
  if (given === 'once') return [];
  return open.filter(
    (one) =>
      one.callId !== callId &&
      one.serverId === serverId &&
      one.tool === tool &&
      one.digest === digest &&
      // Repeating a call that may have run needs its own decision.
      one.state !== 'uncertain',
  );
}

/** State and output after a decision. A call that may have run stays `uncertain`. */
function outcomeOf(
  { state }: ServerCall,
  { decision, reason = '' }: DecisionInput,
): Pick<ToolCall, 'state' | 'output'> {
  if (decision !== 'deny') return { state: 'running', output: null };
  const why = reason.trim();
  const output = `The user denied this call.${why === '' ? '' : ` Their reason: ${why}`}`;
  if (state === 'uncertain') return { state, output: `An earlier try of it may have run. ${output}` };
  return { state: 'denied', output };
}

async function keep(
  calls: ReturnType<typeof serverCallRepository>,
  userId: number,
  runId: number,
  call: ServerCall,
  choice: Decision,
) {
  const { callId } = call;
  const outcome = outcomeOf(call, choice);
  await calls.decide(userId, runId, callId, choice.decision, choice.reason ?? null);
  if (outcome.output !== null) await calls.settle(userId, runId, { callId, ...outcome });
}

async function tell(trx: Kysely<Database>, runId: number, calls: readonly ServerCall[]) {
  const events = eventRepository(trx);
  const last = await events.lastNumber(runId);
  const callEvents = calls.map((call): RunEvent => ({ type: 'tool', call: eventCall(toPublicCall(call)) }));
  const frames = callEvents.map((event, index) => frameOf(last + 1 + index, event)).join('');
  await events.store([], [{ runId, first: last + 1, last: last + callEvents.length, frames }]);
}
