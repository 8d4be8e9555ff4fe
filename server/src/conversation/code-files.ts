import type { ToolResources } from '@roster/contracts/public-api/assistants/tools';
import { AppError } from '#server/lib/errors';

/** The maximum number of files for the code of an assistant or a thread. */
export const maxCodeFiles = 20;

const tooMany = `A conversation can have at most ${maxCodeFiles} files for code. Start another one, or attach fewer.`;

/**
 * Adds files that were attached to messages for code to a thread's tool resources: all later answers can read them,
 * whatever happens to the message. @throws AppError if there are too many
 */
export function addCodeFiles(resources: ToolResources | null, files: readonly string[]): ToolResources | null {
  if (files.length === 0) return resources;
  const all = [...new Set([...(resources?.code_interpreter?.file_ids ?? []), ...files])];
  if (all.length > maxCodeFiles) throw new AppError('invalid_input', tooMany, { fields: { fileIds: tooMany } });
  return { ...resources, code_interpreter: { file_ids: all } };
}
