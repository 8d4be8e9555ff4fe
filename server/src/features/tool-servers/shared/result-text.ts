const textLimit = 1024 * 1024;

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** At most so many bytes, ending with a whole character and with what was done. `whole`: how much there was, where it was not all read. */
export function truncateResult(text: string, whole?: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= textLimit && whole === undefined) return text;
  const kept = bytes
    .subarray(0, textLimit)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${kept}\n[Cut here: the tool has answered with ${whole ?? sizeOf(bytes.length)}, and this is the first megabyte.]`;
}

/** A shorter value could stand anywhere. */
const findableFrom = 4;

/** The forms in which a service may give back what it was sent. */
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

/** Without the secret, which services like to repeat in their answers. */
export const maskSecret = (text: string, secret: string | null): string =>
  secret === null ? text : formsOf(secret).reduce((left, form) => left.replaceAll(form, '[secret]'), text);
