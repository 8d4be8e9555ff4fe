import type { OfferedTool } from '#server/conversation/tools';
import type { Approval, ServerCall } from '#server/features/chat/shared/server-call-repository';
import type { PlacedCall } from '#server/features/chat/shared/tool-call-repository';
import { parseExact } from '#server/lib/exact-json';
import { isObject } from '#server/lib/is-object';
import type { CallEcho } from '#server/provider/provider';

/** Size of a tool’s input, in UTF-16 units. */
const toolInputLimit = 65_536;

/** The arguments, with numbers in the model's own digits; undefined: not a JSON object, or too long. */
export function argumentsOf(input: string): Record<string, unknown> | undefined {
  if (input.length > toolInputLimit) return undefined;
  try {
    const value = parseExact(input);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type PlanContext = {
  offered: readonly OfferedTool[];
  approvals: readonly Approval[];
  /** Calls of earlier steps. */
  earlier: readonly ServerCall[];
  echoes: ReadonlyMap<string, CallEcho>;
  canAsk: boolean;
  step: number;
};

const sameTool = (tool: OfferedTool, other: Pick<ServerCall, 'serverId' | 'tool'>) =>
  tool.serverId === other.serverId && tool.tool === other.tool;

/** True if the tool needs no approval or has one. */
function isApproved(tool: OfferedTool, approvals: readonly Approval[]) {
  if (tool.approval === 'never') return true;
  return approvals.some(
    (one) => sameTool(tool, one) && one.digest === tool.digest && (one.given === 'thread' || tool.approval === 'once'),
  );
}

const notCalled = (why: string) => `${why} The tool was not called.`;

/** Why a call is rejected; undefined: it is not. */
function refusalOf(call: PlacedCall, tool: OfferedTool | undefined, mayAsk: boolean, hasToAsk: boolean) {
  if (!tool) return `There is no tool called “${call.name}”.`;
  if (call.input.length > toolInputLimit) return notCalled('Its arguments are longer than 64 KB.');
  if (!argumentsOf(call.input)) return notCalled('Its arguments are not a JSON object.');
  return hasToAsk && !mayAsk ? notCalled('An earlier call of it may have run, and nobody can be asked.') : undefined;
}

/** Decides whether a call is rejected, runs at once, or needs approval. */
export function planned(
  call: PlacedCall,
  position: number,
  { offered, approvals, earlier, echoes, canAsk, step }: PlanContext,
): ServerCall {
  const tool = offered.find(({ name }) => name === call.name);
  // A call that may have run already is only repeated after approval.
  const isInDoubt =
    tool !== undefined && !tool.mayRepeat && earlier.some((one) => one.state === 'uncertain' && sameTool(tool, one));
  const refusal = refusalOf(call, tool, canAsk, isInDoubt);
  const needsApproval = refusal === undefined && tool !== undefined && (isInDoubt || !isApproved(tool, approvals));
  return {
    ...call,
    position,
    step,
    serverId: tool?.serverId ?? null,
    tool: tool?.tool ?? null,
    digest: tool?.digest ?? null,
    mayRepeat: tool?.mayRepeat ?? false,
    state: refusal === undefined ? 'waiting' : 'failed',
    output: refusal ?? null,
    decision: needsApproval ? null : 'not_asked',
    echo: echoes.get(call.callId) ?? null,
  };
}

const atOnce = 8;

/** The calls to run next: repeatable ones in parallel, any other alone. */
export function nextOf(allowed: readonly ServerCall[]): ServerCall[] {
  const first = allowed.findIndex(({ mayRepeat }) => !mayRepeat);
  if (first === 0) return allowed.slice(0, 1);
  return allowed.slice(0, Math.min(first === -1 ? atOnce : first, atOnce));
}
