import { promptLimit } from '@roster/contracts/comparisons/comparisons';
import { isBlank } from '@roster/contracts/text/blank';
import type { ComparisonDraft } from './shared/queries.ts';
import type { TypedPrompt } from './typed-prompts.tsx';

/** Models and file that a comparison starts with. */
export type ComparedModels = { tunedModel: string; baseModel: string | undefined; fileId: number | undefined };

export type DraftFields = {
  tunedModel: string;
  baseModel: string;
  source: 'typed' | 'file';
  prompts: readonly TypedPrompt[];
  instructions: string;
  fileId: string;
  count: string;
  temperature: number | null;
};

const textLimit = 10_000;
const lengthOf = (text: string) => [...text].length;

/** The problem of each field that has one, in the contract's words. */
export function problemsOf(fields: DraftFields): Partial<Record<keyof DraftFields, string>> {
  const { tunedModel, baseModel, source, prompts, instructions, fileId, count } = fields;
  const found: ReturnType<typeof problemsOf> = {};
  if (tunedModel === '') found.tunedModel = 'Choose a model';
  if (baseModel === '') found.baseModel = 'Choose a model';
  else if (baseModel === tunedModel) found.baseModel = 'Choose a different model from the fine-tuned one';
  if (source === 'file') {
    if (fileId === '') found.fileId = 'Choose a file';
    const number = Number(count);
    if (!Number.isInteger(number) || number < 1 || number > promptLimit)
      found.count = `Enter a number from 1 to ${promptLimit}`;
    return found;
  }
  if (prompts.every(({ text }) => isBlank(text))) found.prompts = 'Enter at least one prompt';
  else if (prompts.some(({ text }) => lengthOf(text) > textLimit))
    found.prompts = `A prompt cannot exceed ${textLimit} characters`;
  if (lengthOf(instructions) > textLimit) found.instructions = `Instructions cannot exceed ${textLimit} characters`;
  return found;
}

/** Empty boxes are skipped. */
export function toDraft(fields: DraftFields): ComparisonDraft {
  const { tunedModel, baseModel, source, prompts, instructions, fileId, count, temperature } = fields;
  const typed = prompts.filter(({ text }) => !isBlank(text)).map(({ text }) => text.trim());
  return {
    candidateModel: tunedModel,
    baselineModel: baseModel,
    temperature,
    ...(source === 'file'
      ? { prompts: { fileId: Number(fileId), count: Number(count) } }
      : { instructions, prompts: { typed } }),
  };
}
