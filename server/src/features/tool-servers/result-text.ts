const textLimit = 1024 * 1024;

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** At most so many bytes, ending with a whole character and with what was done. `whole`: how much there was, where it was not all read. */
export function cutResult(text: string, whole?: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= textLimit && whole === undefined) return text;
  const kept = bytes
    .subarray(0, textLimit)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${kept}\n[Cut here: the tool has answered with ${whole ?? sizeOf(bytes.length)}, and this is the first megabyte.]`;
}
