/** One message of a `text/event-stream`. Comments and fields we do not use are left out. */
export type StreamMessage = { id: string | null; data: string };

/** Cuts the text of an event stream into messages; feed it the pieces as they arrive. */
export function streamMessages(): (piece: string) => StreamMessage[] {
  let rest = '';
  let id: string | null = null;
  let data: string[] = [];

  const readLine = (line: string): StreamMessage | null => {
    if (line === '') {
      const message = data.length > 0 ? { id, data: data.join('\n') } : null;
      id = null;
      data = [];
      return message;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
    return null;
  };

  return (piece) => {
    rest += piece;
    // A carriage return at the end may be the first half of a line break, so it waits for what follows.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(whole.length);
    return lines.map(readLine).filter((message) => message !== null);
  };
}
