/** Parses OpenTelemetry's form: `name=value`, comma-separated, values URL-encoded. undefined: invalid. */
export function readHeaders(list: string): Record<string, string> | undefined {
  const read: Record<string, string> = {};
  for (const part of list.split(',')) {
    if (part.trim() === '') continue;
    const [, name = '', value = ''] = /^([\w-]+)=([\x21-\x7e]*)$/.exec(part.trim()) ?? [];
    if (name === '') return undefined;
    try {
      read[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return read;
}
