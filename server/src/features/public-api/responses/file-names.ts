import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import type { JsonObject } from '#server/lib/is-object';
import type { SearchedFile } from '#server/provider/provider';
import { fileNamesIn, type RenameFile, renameFilesInItem } from './item-files.ts';

type Dependencies = {
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf' | 'atProvider' | 'copies'>;
};

/** Our numbers of files, by the names that the provider has for them. */
type Copies = ReadonlyMap<string, number>;

/** What an answer can name files of. */
export type CitableSources = {
  /** Those of the vector stores that are searched. */
  files: ReadonlyMap<string, SearchedFile>;
  /** Roster's stores, and none else, are searched. */
  areAll: boolean;
  /** Stores that Roster does not know are searched too. */
  hasOthers: boolean;
  /** Those that the items before it name. */
  before: Copies;
};

async function named<Item extends JsonObject>(items: Item[], naming: (names: string[]) => Promise<RenameFile>) {
  const names = fileNamesIn(items);
  if (names.length === 0) return items;
  const name = await naming(names);
  return items.map((item) => renameFilesInItem(item, name));
}

/**
 * Files in what models say: there they have the provider's names, while programs know them by Roster's. Items are kept as
 * programs read them.
 */
export function fileNames({ ids, fileIds }: Dependencies) {
  return {
    /** Kept items as a program reads them: what has been deleted since is left out. */
    forProgram: <Item extends JsonObject>(userId: number, items: Item[]): Promise<Item[]> =>
      named(items, async (names) => {
        const numbers = await fileIds.numbersOf(userId, names);
        const { encode, decode } = await ids();
        return (id) => {
          const number = numbers.get(id);
          if (number !== undefined) return { file_id: encode('file', number) };
          return decode('file', id) === undefined ? { file_id: id } : undefined;
        };
      }),

    /** Items as the provider reads them; and what they name, by which an answer can cite it. */
    async forProvider<Item extends JsonObject>(
      userId: number,
      items: Item[],
    ): Promise<{ items: Item[]; files: Copies }> {
      const files = new Map<string, number>();
      const read = await named(items, async (names) => {
        const numbers = await fileIds.numbersOf(userId, names);
        const copies = await fileIds.atProvider(userId, [...numbers.values()]);
        for (const [number, copy] of copies) files.set(copy, number);
        const { decode } = await ids();
        return (id) => {
          const number = numbers.get(id);
          if (number === undefined) return decode('file', id) === undefined ? { file_id: id } : undefined;
          const copy = copies.get(number);
          return copy === undefined ? undefined : { file_id: copy };
        };
      });
      return { items: read, files };
    },

    /** For an answer; undefined: it can name none. */
    async ofAnswer(
      userId: number,
      { files, areAll, hasOthers, before }: CitableSources,
    ): Promise<RenameFile | undefined> {
      if (!areAll && !hasOthers && before.size === 0) return undefined;
      const copies = hasOthers ? await fileIds.copies(userId) : before;
      const { encode } = await ids();
      return (id) => {
        const file = files.get(id);
        if (file) return { file_id: encode('file', file.fileId), filename: file.filename };
        const number = copies.get(id);
        if (number !== undefined) return { file_id: encode('file', number) };
        // Of Roster's stores it is one that was taken out, and is not gone at the provider yet.
        return areAll ? undefined : { file_id: id };
      };
    },
  };
}

export type FileNames = ReturnType<typeof fileNames>;
