import { FilePurpose, fileSizeLimit } from '@roster/contracts/files/files';
import type { ImportedFile } from '#server/conversation/imported';
import { isObject } from '#server/lib/is-object';
import type { ArchiveEntry } from './archive.ts';
import { addTo, type LeftOut } from './conversation.ts';
import { idIn, objectIn, textIn, titleIn } from './fields.ts';
import { jsonLines, jsonValues } from './json-values.ts';

/** A file as a message refers to it. */
export type Reference = { id: string; filename: string | null; isGenerated: boolean };

/** The files in the archive of an export. */
export type Assets = {
  /** Returns those that can be imported, each once, and counts the others by the reason why not. */
  take: (references: Reference[], leftOut: LeftOut) => ImportedFile[];
  /** Their ids, in the order of the archive. */
  ids: string[];
};

type Asset = { entry: string; size: number; filename: string; purpose?: FilePurpose; isMade?: boolean };

export const baseName = (name: string) => name.slice(name.lastIndexOf('/') + 1);
export const isAssetNames = (name: string) => baseName(name) === 'conversation_asset_file_names.json';
export const isRosterFiles = (name: string) => /(^|\/)files\/INDEX\.jsonl$/.test(name);

/** `file-` and letters in older exports, `file_` and digits in newer ones; addresses and names of entries have them. */
export const chatGptFileId = (text: string): string | undefined => /^file[-_][A-Za-z0-9]+/.exec(baseName(text))?.[0];

function assetsOf(source: 'chatgpt' | 'roster' | 'gemini', files: ReadonlyMap<string, Asset>): Assets {
  return {
    ids: [...files.keys()],
    take(references, leftOut) {
      const taken = new Map<string, ImportedFile>();
      for (const { id, filename, isGenerated } of references) {
        if (taken.has(id)) continue;
        const found = files.get(id);
        if (!found) addTo(leftOut, 'files');
        else if (found.size > fileSizeLimit) addTo(leftOut, 'large_files');
        else if (found.size === 0) addTo(leftOut, 'damaged_files');
        else {
          const { entry, size, purpose, isMade = isGenerated } = found;
          const sourceId = `${source}:${id}`;
          taken.set(id, {
            sourceId,
            filename: filename ?? found.filename,
            entry,
            size,
            isGenerated: isMade,
            ...(purpose && { purpose }),
          });
        }
      }
      return [...taken.values()];
    },
  };
}

export const noAssets: Assets = assetsOf('chatgpt', new Map());

/** Newer exports of ChatGPT name all files `.dat` and list their names. */
async function assetNames(entries: ArchiveEntry[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const entry of entries)
    for await (const value of jsonValues(entry.read()))
      for (const [key, name] of Object.entries(isObject(value) ? value : {})) {
        const id = chatGptFileId(key);
        const title = typeof name === 'string' ? titleIn(baseName(name)) : null;
        if (id !== undefined && title !== null) names.set(id, title);
      }
  return names;
}

/** The rest of an entry's name after the id, if that is a name. */
function nameIn(entry: string, id: string): string {
  const name = baseName(entry);
  const rest = name.slice(name.indexOf(id) + id.length).replace(/^-/, '');
  if (/\.dat$/i.test(name)) return id;
  return rest.startsWith('.') ? `${id}${rest}` : rest || id;
}

/** The images and files of ChatGPT's archive by their id. */
export async function chatGptAssets(entries: ArchiveEntry[], names: ArchiveEntry[]): Promise<Assets> {
  const found = await assetNames(names).catch(() => new Map<string, string>());
  const files = new Map<string, Asset>();
  for (const { name, size } of entries) {
    const id = chatGptFileId(name);
    if (id === undefined || files.has(id)) continue;
    files.set(id, { entry: name, size, filename: found.get(id) ?? titleIn(nameIn(name, id)) ?? id });
  }
  return assetsOf('chatgpt', files);
}

/** The files of an account export of Roster by their checksum. A file that occurs several times is imported once. */
export async function rosterAssets(entries: ArchiveEntry[], indexes: ArchiveEntry[]): Promise<Assets> {
  const files = new Map<string, Asset>();
  for (const index of indexes) {
    const folder = index.name.slice(0, index.name.lastIndexOf('files/'));
    const sizes = new Map(entries.map(({ name, size }) => [name, size]));
    for await (const line of jsonLines(index.read())) {
      const { file, sha256, filename, purpose, madeByAssistant } = objectIn(line);
      const [entry, id] = [`${folder}${textIn(file)}`, idIn(sha256)];
      const size = sizes.get(entry);
      if (id !== null && size !== undefined && !files.has(id))
        files.set(id, {
          ...{ entry, size, filename: titleIn(filename) ?? id },
          purpose: FilePurpose.safeParse(purpose).data ?? 'user_data',
          isMade: madeByAssistant === true,
        });
    }
  }
  return assetsOf('roster', files);
}

/** The files in the folder of a list of activities, by their names. */
export function assetsBeside(list: string, entries: ArchiveEntry[]): Assets {
  const folder = list.slice(0, list.lastIndexOf('/') + 1);
  const beside = entries.filter(({ name }) => folder !== '' && name.startsWith(folder));
  return assetsOf(
    'gemini',
    new Map(
      beside.map(({ name, size }) => [
        name.slice(folder.length),
        { entry: name, size, filename: titleIn(baseName(name)) ?? 'file' },
      ]),
    ),
  );
}
