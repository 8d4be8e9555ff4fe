import { modelIdOf } from './models/model-reference.ts';
import { codePointLength } from './text/length.ts';
import { requiredText } from './text/text.ts';

const modelIdLimit = 200;
/** Longest text that names a model: its id, and `@`, nine digits and `/` for its connection. */
export const modelReferenceLimit = modelIdLimit + 11;

/** A text that names a model (model-reference.ts). Its connection does not count towards the limit. */
export const modelText = (tooLong: string, missing: string) =>
  requiredText(modelReferenceLimit, tooLong, missing).refine(
    (text) => codePointLength(modelIdOf(text)) <= modelIdLimit,
    tooLong,
  );

export const ModelText = modelText(`Model cannot exceed ${modelIdLimit} characters`, 'Model is required').trim();
