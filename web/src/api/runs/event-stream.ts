import { createParser } from 'eventsource-parser';

/** One message of a `text/event-stream`. Comments and unused fields are dropped. */
export type StreamMessage = { id: string | null; data: string };

/** Returns a parser: feed it pieces of the stream, and it returns the messages completed by each. */
export function streamMessages(): (piece: string) => StreamMessage[] {
  let whole: StreamMessage[] = [];
  const parser = createParser({ onEvent: ({ id = null, data }) => whole.push({ id, data }) });
  return (piece) => {
    whole = [];
    parser.feed(piece);
    return whole;
  };
}
