/**
 * Splits `ft:gpt-4o-mini-2024-07-18:personal:support:Ab12Cd34` before its suffix. The second part is empty for names that
 * are no tuned model's.
 */
export function splitTunedName(id: string): [head: string, tail: string] {
  const parts = id.split(':');
  if (parts[0] !== 'ft' || parts.length < 4) return [id, ''];
  // Without a suffix the name has two colons in a row before the job.
  const from = parts.slice(0, 3).join(':').length;
  return [id.slice(0, from), id.slice(from)];
}
