import { type Document, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { sanitizeText } from '#server/features/tool-servers/shared/tool-snapshot';

/** A description that cannot be read. The message is for users; `about` says which of their inputs to change. */
export class UnreadableDocumentError extends Error {
  override name = 'UnreadableDocumentError';
  readonly about: 'description' | 'baseUrl';
  constructor(
    message: string,
    { about = 'description', cause }: { about?: UnreadableDocumentError['about']; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.about = about;
  }
}

const shown = (error: unknown) =>
  error instanceof Error ? sanitizeText(error.message.split('\n')[0] ?? '').slice(0, 200) : 'it is damaged';

/** Numbers in place of texts keep their author's form: `1.0` is not `1`. */
function keepTexts(document: Document) {
  visit(document, {
    Map(_key, map) {
      if (map.get('type') !== 'string') return;
      const values = map.get('enum', true);
      const scalars = [map.get('const', true), ...(isSeq(values) ? values.items : [])];
      for (const one of scalars)
        if (isScalar(one) && typeof one.value === 'number' && one.source !== undefined) one.value = one.source;
    },
  });
}

/** A repeated key would hide its first value: usually a path, written once for each method. */
function refuseRepeatedKeys(document: Document, text: string) {
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          throw new UnreadableDocumentError(
            `Line ${lineOf(text, key.range?.[0] ?? 0)} has “${sanitizeText(String(key.value)).slice(0, 100)}” twice in the same place. Combine the two.`,
          );
        seen.add(key.value);
      }
    },
  });
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const mergeMark = /^(<{7}|={7}|>{7})(\s|$)/m;

/** @throws Unreadable */
function parsedYaml(text: string): unknown {
  const mark = mergeMark.exec(text);
  if (mark)
    throw new UnreadableDocumentError(
      `Line ${lineOf(text, mark.index)} is an unresolved merge marker: ${mark[0].trim()}`,
    );
  // An alias is its node itself, however large: it is counted where it is written out.
  const document = parseDocument(text, { schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [wrong] = document.errors;
  // The parser continues after an error, and leaves out what it could not read.
  if (wrong)
    throw new UnreadableDocumentError(`Line ${lineOf(text, wrong.pos[0])} cannot be read as YAML: ${shown(wrong)}`);
  refuseRepeatedKeys(document, text);
  keepTexts(document);
  return document.toJS({ maxAliasCount: -1 });
}

/** Parses JSON or YAML. Hostile text takes long, so callers need a time limit. @throws Unreadable */
export function parseDescription(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    if (/^\s*\{/.test(plain)) return JSON.parse(plain);
  } catch (cause) {
    throw new UnreadableDocumentError(`This cannot be read as JSON: ${shown(cause)}`, { cause });
  }
  try {
    return parsedYaml(plain);
  } catch (cause) {
    if (cause instanceof UnreadableDocumentError) throw cause;
    throw new UnreadableDocumentError(`This cannot be read as YAML: ${shown(cause)}`, { cause });
  }
}
