import { fileSizeLimit } from '@roster/contracts/files/files';
import { projectInstructionsLimit } from '@roster/contracts/projects/projects';
import type { ImportedFile } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { ArchiveEntry } from './archive.ts';
import { baseName } from './assets.ts';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { idIn, listIn, textIn, timeIn, titleIn } from './fields.ts';
import { jsonValues } from './json-values.ts';

/** One file for all projects, or a folder with a file for each. */
export const isClaudeProjects = (name: string) =>
  baseName(name) === 'projects.json' || /(^|\/)projects\/[^/]+\.json$/.test(name);

const isProject = (value: unknown): value is JsonObject =>
  isObject(value) &&
  idIn(value.uuid) !== null &&
  (Array.isArray(value.docs) || typeof value.prompt_template === 'string');

export const claudeProjectId = (uuid: unknown): string | null => {
  const id = idIn(uuid);
  return id === null ? null : `claude:${id}`;
};

function textFile(sourceId: string, filename: string, content: string): ImportedFile {
  return { sourceId, filename, entry: '', size: Buffer.byteLength(content), isGenerated: false, content };
}

/** Documents are in the export as text. */
function documentsOf(project: JsonObject, leftOut: LeftOut): ImportedFile[] {
  return listIn(project.docs)
    .filter(isObject)
    .flatMap(({ uuid, filename, content }, at) => {
      const text = textIn(content);
      const name = titleIn(filename) ?? `Document ${at + 1}`;
      const file = textFile(
        `claude:${idIn(uuid) ?? `${idIn(project.uuid)} ${at}`}`,
        /\.[A-Za-z0-9]{1,8}$/.test(name) ? name : `${name}.txt`,
        text,
      );
      if (text.trim() === '') addTo(leftOut, 'damaged_files');
      else if (file.size > fileSizeLimit) addTo(leftOut, 'large_files');
      else return [file];
      return [];
    });
}

function readProject(project: JsonObject): ReadConversation {
  const leftOut: LeftOut = {};
  const sourceId = claudeProjectId(project.uuid) ?? '';
  const instructions = textIn(project.prompt_template);
  const files = documentsOf(project, leftOut);
  // The beginning stays as the instructions, and the whole text is searched like a document.
  if (instructions.length > projectInstructionsLimit)
    files.unshift(textFile(`${sourceId} instructions`, 'Instructions.txt', instructions));
  return {
    conversation: null,
    leftOut,
    source: 'claude',
    part: {
      kind: 'project',
      sourceId,
      name: titleIn(project.name) ?? '',
      icon: null,
      color: null,
      instructions,
      assistant: null,
      model: null,
      files,
      archivedAt:
        project.is_archived === true || project.archived_at ? timeIn(project.archived_at ?? project.updated_at) : null,
      createdAt: timeIn(project.created_at),
      updatedAt: timeIn(project.updated_at),
    },
  };
}

/** The projects of Claude's archive, which come before the conversations in them. */
export async function* claudeProjects(entries: ArchiveEntry[]): AsyncGenerator<ReadConversation> {
  for (const entry of entries)
    for await (const value of jsonValues(entry.read())) if (isProject(value)) yield readProject(value);
}
