import type { Role } from '@roster/contracts/auth';
import type { ApprovalDecision, Run, RunEvent, ToolCall } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { eventCall, frameOf } from './event-log.ts';
import { eventRepository } from './event-repository.ts';
import type { RunExecutor } from './executor.ts';
import { runRepository } from './repository.ts';
import { type ServerCall, serverCallRepository } from './server-call-repository.ts';
import { toldCall } from './tool-call-repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  instance: number;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'goOn'>;
  /** Whether it can go on: there is a key, and no budget speaks against it. @throws AppError */
  checkGoingOn: (userId: number, assistantId: number | null, settings: string) => Promise<void>;
};

type Decided = { decision: ApprovalDecision; reason?: string | undefined };
type Asked = Decided & { callId: string };

const noRun = () => new AppError('not_found', 'This run does not exist.');
const notWaiting = () =>
  new AppError('conflict', 'This has been decided already, or the answer has ended. Look at the conversation again.');

/** A Viewer changes nothing, and so has no tool do it; denying lets their answer go on. */
function checkApproving(role: Role, decision: ApprovalDecision) {
  if (role === 'Viewer' && decision !== 'deny')
    throw new AppError('not_allowed', 'Your role, Viewer, can deny the call of a tool but not approve it.');
}

async function presentRole(trx: Kysely<Database>, userId: number): Promise<Role | undefined> {
  return (await trx.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst())?.role;
}

/** What persons decide on calls that runs wait for. */
export function runApprovals({ database: { db }, instance, executor, checkGoingOn }: Dependencies) {
  return async function decide(actor: Actor, runId: number, asked: Asked): Promise<Run> {
    const { userId } = actor;
    executor.refuseWhenClosing(userId);
    checkApproving(actor.role, asked.decision);
    const waiting = await runRepository(db).toGoOn(userId, runId);
    if (!waiting) throw noRun();
    // While nothing is decided yet: who can mend it decides then.
    if (asked.decision !== 'deny' && waiting.toolLoop !== null)
      await checkGoingOn(userId, waiting.assistantId, waiting.toolLoop);
    await executor.goOn(userId, runId, async () => ({
      result: undefined,
      goesOn: await db.transaction().execute(async (trx) => {
        await actor.stillMay(trx);
        await lockUserRow(trx, userId);
        // The role may have changed since the request began.
        checkApproving((await presentRole(trx, userId)) ?? 'Viewer', asked.decision);
        return store(trx, userId, runId, asked, instance);
      }),
    }));
    const run = await runRepository(db).find(userId, runId);
    if (!run) throw noRun();
    return run;
  };
}

export type RunApprovals = ReturnType<typeof runApprovals>;

/** Returns whether the run goes on: all that it waited for is decided. */
async function store(trx: Kysely<Database>, userId: number, runId: number, asked: Asked, instance: number) {
  const runs = runRepository(trx);
  const calls = serverCallRepository(trx);
  const run = await runs.takeWaiting(userId, runId);
  const call = await calls.find(userId, runId, asked.callId);
  if (!call) throw new AppError('not_found', 'This call does not exist.');
  if (!run || (run.waitsUntil ?? '') <= new Date().toISOString() || call.output !== null || call.decision !== null)
    throw notWaiting();
  const open = (await calls.open(userId, runId)).filter(({ decision }) => decision === null);
  const decided =
    asked.decision === 'deny' ? [call] : [call, ...(await alsoApproved(trx, userId, run.threadId, asked, call, open))];
  for (const one of decided) await keep(calls, userId, runId, one, asked);
  await tell(
    trx,
    runId,
    decided.map((one) => ({ ...one, ...outcomeOf(one, asked) })),
  );
  if (decided.length < open.length) return false;
  await runs.goOn(userId, runId, instance);
  return true;
}

/** Approves later calls where that was said, and returns those of this run that wait for the same. */
async function alsoApproved(
  trx: Kysely<Database>,
  userId: number,
  threadId: number,
  { decision }: Asked,
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
      // Whether to run something again is a question of its own.
      one.state !== 'uncertain',
  );
}

/** How a call stands once it has been decided on. That it may have run stays known. */
function outcomeOf({ state }: ServerCall, { decision, reason = '' }: Decided): Pick<ToolCall, 'state' | 'output'> {
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
  asked: Asked,
) {
  const { callId } = call;
  const outcome = outcomeOf(call, asked);
  await calls.decide(userId, runId, callId, asked.decision, asked.reason ?? null);
  if (outcome.output !== null) await calls.settle(userId, runId, { callId, ...outcome });
}

async function tell(trx: Kysely<Database>, runId: number, calls: readonly ServerCall[]) {
  const events = eventRepository(trx);
  const last = await events.lastNumber(runId);
  const told = calls.map((call): RunEvent => ({ type: 'tool', call: eventCall(toldCall(call)) }));
  const frames = told.map((event, index) => frameOf(last + 1 + index, event)).join('');
  await events.store([], [{ runId, first: last + 1, last: last + told.length, frames }]);
}
