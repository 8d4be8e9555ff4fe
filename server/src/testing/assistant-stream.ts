import { conforming } from './openai-schema.ts';

type AnyEvent = { event: string; data: unknown };
const schemas: [beginning: string, schema: string][] = [
  ['thread.run.step.delta', 'RunStepDeltaObject'],
  ['thread.run.step.', 'RunStepObject'],
  ['thread.message.delta', 'MessageDeltaObject'],
  ['thread.message.', 'MessageObject'],
  ['thread.run.', 'RunObject'],
  ['thread.', 'ThreadObject'],
];
/**
 * The event names of a run in order, each event checked against the provider's description. Repeated deltas count as
 * one, since their number is not part of the order.
 */
export async function orderOf(stream: AsyncIterable<AnyEvent>) {
  const names: string[] = [];
  for await (const { event, data } of stream) {
    const [, schema = ''] = schemas.find(([beginning]) => event.startsWith(beginning)) ?? [];
    conforming(schema, data);
    if (names.at(-1) !== event) names.push(event);
  }
  return names;
}
/** The event order of the retired API: when a run starts, */
export const started = ['thread.run.created', 'thread.run.queued', 'thread.run.in_progress'];
/** when it writes a message, */
export const message = [
  'thread.run.step.created',
  'thread.run.step.in_progress',
  'thread.message.created',
  'thread.message.in_progress',
  'thread.message.delta',
  'thread.message.completed',
  'thread.run.step.completed',
];
/** and when it calls a function. */
export const calls = ['thread.run.step.created', 'thread.run.step.in_progress', 'thread.run.step.delta'];
