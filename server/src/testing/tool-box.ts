import type { Message, RunEvent } from '@roster/contracts/chat';
import type { OfferedTool, ToolRegistry, ToolResult } from '#server/conversation/tools';
import type { TestApp } from './app.ts';
import { asksOf } from './chat.ts';
import type { NumberedEvent } from './events.ts';

type Call = { userId: number; tool: string; input: Record<string, unknown>; signal: AbortSignal };
type Answering = (call: Call) => Promise<ToolResult> | ToolResult;

const textResult = (text: string): ToolResult => ({ text, isError: false });

/** A fake for tool servers: offers the same to every assistant, answers as configured, and records its calls. */
export function fakeToolRegistry() {
  const offered = new Map<string, OfferedTool>();
  const answers = new Map<string, Answering>();
  const calls: Call[] = [];
  let beginning: Promise<void> = Promise.resolve();
  const box: ToolRegistry = {
    async offered() {
      await beginning;
      return [...offered.values()];
    },
    async offeredOf(_, chosen) {
      return [...offered.values()].filter(({ tool }) => chosen.some(({ name }) => name === tool));
    },
    async call(userId, { tool }, input, signal) {
      const call = { userId, tool, input, signal };
      calls.push(call);
      return (answers.get(tool) ?? (() => textResult(`${tool} said so`)))(call);
    },
  };
  return {
    box,
    /** All calls, in order. */
    calls,
    callsOf: (tool: string) => calls.filter((call) => call.tool === tool),
    offer(tool: string, more: Partial<OfferedTool> = {}, answering?: Answering) {
      offered.set(tool, {
        name: `demo_${tool}`,
        serverId: 1,
        serverName: 'Demo server',
        tool,
        title: `The ${tool} tool`,
        description: `Does ${tool}.`,
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
        approval: 'never',
        digest: `${tool} 1`,
        mayRepeat: false,
        ...more,
      });
      if (answering) answers.set(tool, answering);
    },
    /** Delays answers until then, so that their readers miss nothing. */
    beginAfter(promise: Promise<void>) {
      beginning = promise;
    },
    withdraw: (tool: string) => offered.delete(tool),
    said: textResult,
  };
}

export type FakeToolRegistry = ReturnType<typeof fakeToolRegistry>;

/** The states of the calls, event by event. */
export const statesOf = (events: NumberedEvent[]) =>
  events.flatMap(({ event }) => (event.type === 'tool' ? [event.call.state] : []));
/** The calls of an answer, in short. */
export const callsIn = ({ calls = [] }: Message) => calls.map(({ name, state, output }) => ({ name, state, output }));
export const usageIn = (events: NumberedEvent[]) =>
  events.map(({ event }) => event).find((event): event is RunEvent & { type: 'usage' } => event.type === 'usage');

/** The function outputs in the model's last request. */
export async function lastOutputs(app: Pick<TestApp, 'provider'>): Promise<string[]> {
  const { body } = (await asksOf(app)).at(-1) ?? {};
  const items: { type?: string; role?: string; output?: string; content?: string }[] = body.input ?? body.messages;
  return items.flatMap(({ type, role, output, content }) =>
    type === 'function_call_output' ? [output ?? ''] : role === 'tool' ? [content ?? ''] : [],
  );
}

export const callIdsIn = (events: NumberedEvent[]) =>
  events.flatMap(({ event }) => (event.type === 'tool' ? [event.call.callId] : []));
