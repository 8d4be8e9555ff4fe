import { parse } from 'yaml';
import { storable } from '#server/features/tool-servers/seen-tool';

/** A description that cannot be read. The message is for people. `about`: what of it they can change. */
export class Unreadable extends Error {
  override name = 'Unreadable';
  readonly about: 'description' | 'baseUrl';
  constructor(
    message: string,
    { about = 'description', cause }: { about?: Unreadable['about']; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.about = about;
  }
}

const shown = (error: unknown) =>
  error instanceof Error ? storable(error.message.split('\n')[0] ?? '').slice(0, 200) : 'it is damaged';

/** JSON or YAML. Slow with what was made to be slow: who calls it has a time limit. @throws Unreadable */
export function parsedDocument(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '').trim();
  try {
    if (plain.startsWith('{')) return JSON.parse(plain);
  } catch (cause) {
    throw new Unreadable(`This cannot be read as JSON: ${shown(cause)}`, { cause });
  }
  try {
    // An alias is the very thing that it stands for, however much that is: it is counted where it is written out.
    return parse(plain, { schema: 'core', uniqueKeys: false, maxAliasCount: -1, logLevel: 'silent' });
  } catch (cause) {
    throw new Unreadable(`This cannot be read as YAML: ${shown(cause)}`, { cause });
  }
}
