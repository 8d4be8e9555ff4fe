import { type FilePurpose, filePurposes, type File as StoredFile } from '@roster/contracts/files/files';
import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import { isJsonl } from '#web/api/uploads/rules.ts';

export const purposeNames: Record<FilePurpose, string> = {
  assistants: 'Assistants',
  user_data: 'Messages',
  'fine-tune': 'Fine-tuning',
};

const madeName = 'Made by AI';

/** Purpose or origin of a file. */
export const purposeOf = ({ purpose, madeByAssistant }: StoredFile) =>
  madeByAssistant ? madeName : purposeNames[purpose];

export const purposeExplanations: Record<FilePurpose, string> = {
  assistants: 'Files your assistants search for answers.',
  user_data: 'Attached to messages in a chat.',
  'fine-tune': 'Examples for fine-tuning a model; JSONL only.',
};

export const purposeChoices = filePurposes.map((value) => ({ value, name: purposeNames[value] }));

/** Filters of the list. */
export const filterChoices = [...purposeChoices, { value: 'made', name: madeName }] as const;

const linesLookedAt = 5;
const bytesLookedAt = 65_536;

function isExample(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return false;
    if ('messages' in value) return Array.isArray(value.messages);
    return ('prompt' in value && 'completion' in value) || ('input' in value && 'preferred_output' in value);
  } catch {
    return false;
  }
}

/** True if the start of a JSONL file looks like training examples. */
export function looksLikeTraining(beginning: string, isWhole: boolean): boolean {
  const lines = beginning.split('\n');
  // The last line may be incomplete.
  if (!isWhole && lines.length > 1) lines.pop();
  const examples = lines.filter((line) => line.trim() !== '').slice(0, linesLookedAt);
  return examples.length > 0 && examples.every(isExample);
}

/** Guesses the purpose of a file. Assistants cannot search images and tables. */
export async function suggestPurpose(file: File): Promise<FilePurpose> {
  const other = unsearchableReason(file.name) === undefined ? 'assistants' : 'user_data';
  if (!isJsonl(file.name)) return other;
  const beginning = await file.slice(0, bytesLookedAt).text();
  return looksLikeTraining(beginning, file.size <= bytesLookedAt) ? 'fine-tune' : other;
}
