import type { ToolResources } from '@roster/contracts/public-api/assistants/tools';
import { AppError } from '#server/lib/errors';

/** As many files as the code of an assistant, or of a conversation, can have. */
export const codeFilesAtMost = 20;

const tooMany = `A conversation can have at most ${codeFilesAtMost} files for code. Start another one, or attach fewer.`;

/**
 * What the tools may use in a conversation, with files that were attached to its messages for code: all later answers can
 * read them, whatever becomes of the message. @throws AppError where they are too many
 */
export function withCodeFiles(resources: ToolResources | null, files: readonly string[]): ToolResources | null {
  if (files.length === 0) return resources;
  const all = [...new Set([...(resources?.code_interpreter?.file_ids ?? []), ...files])];
  if (all.length > codeFilesAtMost) throw new AppError('invalid_input', tooMany, { fields: { fileIds: tooMany } });
  return { ...resources, code_interpreter: { file_ids: all } };
}
