import type { ProviderFile as ListedFile } from '#server/provider/resources/files';

/** How far the provider's clock may lag behind. */
const clockTolerance = 5 * 60_000;

/** Some providers store a quotation mark in its encoded form. */
const sameName = (listed: string, ours: string) => listed.replaceAll('%22', '"') === ours.replaceAll('%22', '"');

type SentCopy = { filename: string; bytes: number; purpose: string; sentAt: string };

/** The only listed file that can be a copy that was sent without an answer. `taken`: ids of other copies. */
export function onlyAlike(
  listed: readonly ListedFile[] | undefined,
  { filename, bytes, purpose, sentAt }: SentCopy,
  taken: ReadonlySet<string>,
): string | undefined {
  const since = new Date(Date.parse(sentAt) - clockTolerance).toISOString();
  const alike = (listed ?? []).filter(
    (file) =>
      sameName(file.filename, filename) &&
      file.bytes === bytes &&
      file.purpose === purpose &&
      file.createdAt >= since &&
      !taken.has(file.id),
  );
  return alike.length === 1 ? alike[0]?.id : undefined;
}
