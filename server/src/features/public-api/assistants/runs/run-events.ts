import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import type { ApiMessage } from '@roster/contracts/public-api/assistants/messages';
import type { ApiRunStep } from '@roster/contracts/public-api/assistants/run-steps';
import type { ApiRun, ApiRunStatus } from '@roster/contracts/public-api/assistants/runs';
import type { FullApiRun } from '#server/features/chat/api-threads/runs';
import type { ApiRunPart } from '#server/features/chat/shared/api-run-repository';
import { citing } from '#server/features/public-api/assistants/messages/citations';
import type { Ids } from '#server/features/public-api/shared/ids';
import { unixSeconds } from '#server/features/public-api/shared/list';
import { runObject } from './run-object.ts';
import {
  isPublicCall,
  listSteps,
  type PublicCall,
  type StepKind,
  stepNumber,
  stepObject,
  toolCallObject,
} from './steps.ts';

/** Formats one event of a stream for the wire. */
export const frame = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
export const doneFrame = 'event: done\ndata: [DONE]\n\n';

/** Event names by how the run ended. */
const endings: Partial<Record<ApiRunStatus, string>> = {
  requires_action: 'thread.run.requires_action',
  completed: 'thread.run.completed',
  incomplete: 'thread.run.incomplete',
  failed: 'thread.run.failed',
  cancelled: 'thread.run.cancelled',
  cancelling: 'thread.run.cancelling',
  expired: 'thread.run.expired',
};
/** Events of a message, and of the step that wrote it. */
const messageEvent = ({ status }: ApiMessage) =>
  status === 'completed' ? 'thread.message.completed' : 'thread.message.incomplete';
const stepEvent = ({ status }: ApiRunStep) => `thread.run.step.${status}`;

/** Function arguments come in a delta of their own, from which clients assemble the call. */
function callDeltas(call: PublicCall, index: number, ids: Ids, withTexts: boolean): object[] {
  const whole = toolCallObject(call, ids, { withTexts });
  if (whole.type === 'code_interpreter') {
    const { input, outputs } = whole.code_interpreter;
    return [
      { index, ...whole, code_interpreter: { input, outputs: outputs.map((one, at) => ({ index: at, ...one })) } },
    ];
  }
  if (whole.type !== 'function') return [{ index, ...whole }];
  const { name, arguments: input } = whole.function;
  return [
    { index, id: whole.id, type: 'function', function: { name, arguments: '', output: null } },
    { index, type: 'function', function: { arguments: input } },
  ];
}

/** The end of a run as stored; `message` is undefined if it has none. */
export type EndedRun = { run: FullApiRun; present: ReadonlySet<number>; message: ApiMessage | undefined };

/** Converts the events of one part of a run to those of the retired API, in its order. */
export function createRunEventWriter(run: FullApiRun, part: ApiRunPart, ids: Ids, withTexts: boolean) {
  const { encode } = ids;
  const messageId = encode('msg', part.messageId);
  const initial: ApiRun = { ...runObject(run, ids), status: 'queued', started_at: null };
  let isRunning = false;
  let hasMessage = false;
  const called: PublicCall[] = [];
  const marks = citing(encode);

  const stepId = (kind: StepKind) => encode('step', stepNumber(part.id, kind));
  const openStep = (kind: StepKind, step_details: ApiRunStep['step_details']) => {
    const step = stepObject(run, part, kind, ids, { step_details });
    return frame('thread.run.step.created', step) + frame('thread.run.step.in_progress', step);
  };
  const stepDelta = (kind: StepKind, toolCalls: object[]) =>
    frame('thread.run.step.delta', {
      id: stepId(kind),
      object: 'thread.run.step.delta',
      delta: { step_details: { type: 'tool_calls', tool_calls: toolCalls } },
    });
  const messageDelta = (content: object) =>
    frame('thread.message.delta', {
      id: messageId,
      object: 'thread.message.delta',
      delta: { content: [{ index: 0, type: 'text', text: content }] },
    });

  function running(): string {
    if (isRunning) return '';
    isRunning = true;
    return frame('thread.run.in_progress', {
      ...initial,
      status: 'in_progress',
      started_at: unixSeconds(part.createdAt),
    } satisfies ApiRun);
  }

  function tool(call: ToolCall): string {
    // Functions are announced once the part is stored: from then on clients can answer them.
    if (!isPublicCall(call) || call.kind === 'function' || call.state === 'running') return '';
    const index = called.push(call) - 1;
    const details = { type: 'tool_calls' as const, tool_calls: [] };
    const opened = index === 0 ? openStep('provider_tools', details) : '';
    return (
      opened +
      callDeltas(call, index, ids, withTexts)
        .map((delta) => stepDelta('provider_tools', [delta]))
        .join('')
    );
  }

  /** Built-in tools are complete once the model writes. */
  function toolsDone(): string {
    if (called.length === 0 || hasMessage) return '';
    const details = {
      type: 'tool_calls' as const,
      tool_calls: called.map((call) => toolCallObject(call, ids, { withTexts })),
    };
    return frame(
      'thread.run.step.completed',
      stepObject(run, part, 'provider_tools', ids, {
        step_details: details,
        status: 'completed',
        completed_at: Math.floor(Date.now() / 1000),
      }),
    );
  }

  function text(words: string): string {
    let frames = '';
    if (!hasMessage) {
      frames += toolsDone();
      frames += openStep('message', { type: 'message_creation', message_creation: { message_id: messageId } });
      const message: ApiMessage = {
        id: messageId,
        object: 'thread.message',
        created_at: unixSeconds(part.createdAt),
        thread_id: initial.thread_id,
        status: 'in_progress',
        incomplete_details: null,
        completed_at: null,
        incomplete_at: null,
        role: 'assistant',
        content: [],
        assistant_id: initial.assistant_id,
        run_id: initial.id,
        attachments: [],
        metadata: {},
      };
      frames += frame('thread.message.created', message) + frame('thread.message.in_progress', message);
      hasMessage = true;
    }
    marks.add(words);
    return frames + messageDelta({ value: words });
  }

  let citations = 0;
  /** Cites within text that has started: without text there is no message. */
  function citation(fileId: number): string {
    if (!hasMessage) return '';
    const { mark, annotation } = marks.cite(fileId);
    return messageDelta({ value: mark, annotations: [{ index: citations++, ...annotation }] });
  }

  function functionsStep(calls: PublicCall[]): string {
    const deltas = calls.flatMap((call, index) => callDeltas(call, index, ids, withTexts));
    const opened = openStep('functions', { type: 'tool_calls', tool_calls: [] });
    return opened + deltas.map((delta) => stepDelta('functions', [delta])).join('');
  }

  return {
    created: () => frame('thread.run.created', initial) + frame('thread.run.queued', initial),
    queued: () => frame('thread.run.queued', initial),
    /** Joins consecutive pieces of text from one network packet. */
    of(events: RunEvent[]): string {
      let frames = '';
      let words = '';
      const flush = () => {
        if (words !== '') frames += text(words);
        words = '';
      };
      for (const event of events) {
        if (event.type !== 'finished' && event.type !== 'failed') frames += running();
        if (event.type === 'text') words += event.text;
        else if (event.type === 'tool' || event.type === 'citation') {
          flush();
          frames += event.type === 'tool' ? tool(event.call) : citation(event.fileId);
        }
      }
      flush();
      return frames;
    },
    /** Closes the stream once the end is stored. */
    end({ run: ended, present, message }: EndedRun): string {
      const steps = new Map(listSteps(ended, ids, { withTexts, present }).map(({ number, ...step }) => [number, step]));
      const stepOf = (kind: StepKind) => steps.get(stepNumber(part.id, kind));
      const ending = (kind: StepKind) => {
        const step = stepOf(kind);
        return step && step.status !== 'in_progress' ? frame(stepEvent(step), step) : '';
      };
      const calls = ended.calls
        .filter(isPublicCall)
        .filter(({ runId, kind }) => runId === part.id && kind === 'function');
      const object = runObject(ended, ids);
      return [
        running(),
        hasMessage ? '' : ending('provider_tools'),
        hasMessage && message ? frame(messageEvent(message), message) + ending('message') : '',
        calls.length > 0 ? functionsStep(calls) + ending('functions') : '',
        frame(endings[object.status] ?? 'thread.run.completed', object),
        doneFrame,
      ].join('');
    },
  };
}
