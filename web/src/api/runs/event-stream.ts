import { createParser } from 'eventsource-parser';

/** One message of a `text/event-stream`. Comments and fields we do not use are left out. */
export type StreamMessage = { id: string | null; data: string };

/** Cuts the text of an event stream into messages; feed it the pieces as they arrive. */
export function streamMessages(): (piece: string) => StreamMessage[] {
  let whole: StreamMessage[] = [];
  const parser = createParser({ onEvent: ({ id = null, data }) => whole.push({ id, data }) });
  return (piece) => {
    whole = [];
    parser.feed(piece);
    return whole;
  };
}
