import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import type { JsonObject } from '#server/lib/is-object';
import type { SearchedFile } from '#server/provider/provider';
import { fileNamesIn, type RenameFile, renameFilesInItem } from './item-files.ts';

/** Numeric file ids, by the provider's names. */
type Copies = ReadonlyMap<string, number>;

/** Sources that an answer can cite. */
export type CitableSources = {
  /** Files of the searched vector stores. */
  files: ReadonlyMap<string, SearchedFile>;
  /** Only Roster's stores are searched. */
  areAll: boolean;
  /** Stores unknown to Roster are searched too. */
  hasOthers: boolean;
  /** Files named by earlier items. */
  before: Copies;
};

async function named<Item extends JsonObject>(items: Item[], naming: (names: string[]) => Promise<RenameFile>) {
  const names = fileNamesIn(items);
  if (names.length === 0) return items;
  const name = await naming(names);
  return items.map((item) => renameFilesInItem(item, name));
}

/** File ids in items: models use the provider's, clients use Roster's. Items are stored as clients read them. */
export function fileNames(ids: () => Promise<Ids>, fileIds: Pick<FileIds, 'numbersOf' | 'atProvider' | 'copies'>) {
  return {
    /** Stored items as a client reads them, without files deleted since. */
    forClient: <Item extends JsonObject>(userId: number, items: Item[]): Promise<Item[]> =>
      named(items, async (names) => {
        const numbers = await fileIds.numbersOf(userId, names);
        const { encode, decode } = await ids();
        return (id) => {
          const number = numbers.get(id);
          if (number !== undefined) return { file_id: encode('file', number) };
          return decode('file', id) === undefined ? { file_id: id } : undefined;
        };
      }),

    /** Items as the provider reads them, and the files they name, which an answer can cite. */
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

    /** Names for an answer; undefined if it can cite none. */
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
        // In Roster's stores, such a file was removed, but not at the provider yet.
        return areAll ? undefined : { file_id: id };
      };
    },
  };
}

export type FileNames = ReturnType<typeof fileNames>;
