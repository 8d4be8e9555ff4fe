import type { CodeCopies } from '#server/features/chat/messages/build-run';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { PublicApiError } from '#server/http/public-api/errors';
import { isObject, type JsonObject } from '#server/lib/is-object';

type Dependencies = {
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf'>;
  /** Copies at the provider, for code. */
  files: { copies: CodeCopies };
};

/** Roster's files that the code of a response reads. */
export type CodeFiles = {
  /** The request names files, Roster's or others of the provider's. */
  areNamed: boolean;
  /** Some of them are Roster's. */
  areOurs: boolean;
  /** The tools with the provider's file ids. Files that it does not have yet are forwarded first. */
  inTools: (tools: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Forwards files again that are missing at the provider. */
  checked: () => Promise<void>;
};

const runsIn = (tool: unknown): tool is JsonObject & { container: JsonObject & { file_ids: unknown[] } } =>
  isObject(tool) &&
  tool.type === 'code_interpreter' &&
  isObject(tool.container) &&
  Array.isArray(tool.container.file_ids);

const noFile = (id: string) =>
  new PublicApiError('invalid_input', `The file with ID '${id}' was not found.`, {
    param: 'tools',
    code: 'file_not_found',
  });

/** Reads which files a request gives to a model's code. */
export function createCodeFileResolver({ ids, fileIds, files: { copies } }: Dependencies) {
  /** @throws PublicApiError for a Roster file that does not exist */
  return async (userId: number, tools: unknown): Promise<CodeFiles> => {
    const all: unknown[] = Array.isArray(tools) ? tools : [];
    const named = all.flatMap((tool) => (runsIn(tool) ? tool.container.file_ids : []));
    const names = named.filter((id) => typeof id === 'string');
    const numbers = names.length > 0 ? await fileIds.numbersOf(userId, names) : new Map<string, number>();
    const { decode } = await ids();
    // Ids that Roster cannot decode are the provider's.
    const missing = names.find((id) => !numbers.has(id) && decode('file', id) !== undefined);
    if (missing !== undefined) throw noFile(missing);
    return {
      areNamed: named.length > 0,
      areOurs: numbers.size > 0,
      async inTools(given, signal) {
        if (numbers.size === 0 || !Array.isArray(given)) return given;
        const there = await copies.forwarded(userId, [...numbers.values()], signal);
        const theirs = (id: unknown) => {
          const number = typeof id === 'string' ? numbers.get(id) : undefined;
          // A file that was just deleted has no id there.
          return number === undefined ? [id] : (there.get(number) ?? []);
        };
        return given.map((tool: unknown) =>
          runsIn(tool)
            ? { ...tool, container: { ...tool.container, file_ids: tool.container.file_ids.flatMap(theirs) } }
            : tool,
        );
      },
      checked: () => copies.check(userId),
    };
  };
}
