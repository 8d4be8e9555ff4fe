const textLimit = 1024 * 1024;

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/**
 * Limits a text to a number of bytes, ending with a complete character and a note. `whole`: the full size, if not all
 * was read.
 */
export function truncateResult(text: string, whole?: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= textLimit && whole === undefined) return text;
  const kept = bytes
    .subarray(0, textLimit)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${kept}\n[Cut here: the tool has answered with ${whole ?? sizeOf(bytes.length)}, and this is the first megabyte.]`;
}

/** A shorter value could occur anywhere. */
const findableFrom = 4;

/** Forms in which a service may return what it was sent. */
function formsOf(secret: string): string[] {
  const parts = [secret, secret.replace(/^\S+\s+/, '')];
  const forms = parts.flatMap((part) => [
    part,
    encodeURIComponent(part),
    new URLSearchParams({ a: part }).toString().slice(2),
    JSON.stringify(part).slice(1, -1),
    JSON.stringify(part).slice(1, -1).replaceAll('/', '\\/'),
  ]);
  return [...new Set(forms)].filter((form) => form.length >= findableFrom).sort((a, b) => b.length - a.length);
}

/** Masks the secret, which services like to repeat in their answers. */
export const maskSecret = (text: string, secret: string | null): string =>
  secret === null ? text : formsOf(secret).reduce((left, form) => left.replaceAll(form, '[secret]'), text);
