import type { TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import {
  listedProblemLimit,
  minExamples,
  recommendedExamples,
  type TrainingFileReport,
  type TrainingFormat,
  type TrainingProblem,
} from '@roster/contracts/fine-tuning/training-files';
import type { ExampleFormat } from '#server/features/fine-tuning/files/tokens/tokens';
import type { FileFindings } from './file-check.ts';

type Context = {
  part: 'training' | 'validation';
  method: TrainingMethod | undefined;
  formatOfTraining?: TrainingFormat;
  /** Facts about the base model. `trainsOnImages` is null if unknown. */
  model?: { name: string; trainsOnImages: boolean | null; others: readonly string[] } | undefined;
};

/** The provider accepts no more in a file. */
const maxImageExamples = 50_000;

const formats: ExampleFormat[] = ['chat', 'preference', 'prompt_completion'];
const names: Record<ExampleFormat, string> = {
  chat: 'conversations ("messages")',
  preference: 'preference pairs',
  prompt_completion: 'prompt-completion pairs',
};

/** The format that most lines have. */
function formatOfFile({ formats: counted }: FileFindings): ExampleFormat | undefined {
  const [first] = formats
    .filter((format) => counted[format].lines > 0)
    .sort((a, b) => counted[b].lines - counted[a].lines);
  return first;
}

/** Report of a file, from its lines and from the file as a whole. */
export function reportOf(
  file: { id: number; filename: string },
  findings: FileFindings,
  context: Context,
): TrainingFileReport {
  const { lines, longestTokens, cutExamples, duplicates } = findings;
  const format = formatOfFile(findings);
  const { examples, tokens } = format ? findings.formats[format] : { examples: 0, tokens: 0 };
  const ofFile = [
    ...mixture(findings),
    ...formatProblems(format, context),
    ...imageProblems(findings, context),
    ...amount(examples, context),
    ...overlap(findings),
  ];
  const counted = (severity: TrainingProblem['severity']) =>
    ofFile.filter((problem) => problem.severity === severity).length;
  return {
    fileId: file.id,
    filename: file.filename,
    format: format ?? 'unknown',
    lines,
    examples,
    tokens,
    longestTokens,
    cutExamples,
    duplicates,
    errors: findings.errors + counted('error'),
    warnings: findings.warnings + counted('warning'),
    problems: [...ofFile, ...findings.problems].slice(0, listedProblemLimit),
  };
}

const problem = (severity: TrainingProblem['severity'], message: string, fix: string): TrainingProblem => ({
  line: null,
  severity,
  message,
  fix,
});

function mixture({ formats: counted }: FileFindings): TrainingProblem[] {
  const there = formats.filter((format) => counted[format].lines > 0);
  if (there.length < 2) return [];
  const list = there.map((format) => `${counted[format].lines} ${names[format]}`).join(' and ');
  return [problem('error', `The file mixes formats: ${list}.`, 'Keep one format in a file.')];
}

function formatProblems(
  format: ExampleFormat | undefined,
  { method, part, formatOfTraining }: Context,
): TrainingProblem[] {
  if (format === 'prompt_completion')
    return [
      problem(
        'error',
        'The file has prompt-completion pairs, which current models do not accept.',
        'Convert it to the chat format.',
      ),
    ];
  if (part === 'validation' && format && formatOfTraining !== 'unknown' && format !== formatOfTraining)
    return [
      problem('error', 'The file and the training file have different formats.', 'Use the same format in both files.'),
    ];
  if (format === 'chat' && method === 'dpo')
    return [
      problem(
        'error',
        'Preference training needs pairs of answers, but the file has conversations.',
        'Choose the method supervised, or a file with preference pairs.',
      ),
    ];
  if (format === 'preference' && method === 'supervised')
    return [
      problem(
        'error',
        'Supervised training needs conversations, but the file has preference pairs.',
        'Choose the method preference (DPO), or a file with conversations.',
      ),
    ];
  return [];
}

function imageProblems({ withImages }: FileFindings, { model }: Context): TrainingProblem[] {
  if (withImages === 0) return [];
  const have = withImages === 1 ? 'One example has' : `${withImages} examples have`;
  if (model?.trainsOnImages === false) {
    const choice = model.others.length > 0 ? `Choose ${model.others.join(' or ')}, or remove` : 'Remove';
    return [
      problem('error', `${have} images, and ${model.name} can be trained on text only.`, `${choice} the images.`),
    ];
  }
  if (withImages <= maxImageExamples) return [];
  return [
    problem(
      'error',
      `${have} images; the provider takes ${maxImageExamples} in a file.`,
      'Remove some of them, or replace images with text.',
    ),
  ];
}

function amount(examples: number, { part }: Context): TrainingProblem[] {
  const have = examples === 1 ? 'There is one example' : `There are ${examples === 0 ? 'no' : examples} examples`;
  if (part === 'validation')
    return examples > 0
      ? []
      : [problem('error', `${have} that can be used.`, 'Add examples, or train without a validation file.')];
  if (examples < minExamples)
    return [
      problem(
        'error',
        `${have} that can be used; the provider trains on ${minExamples} at least.`,
        'Add examples, or repair the lines below.',
      ),
    ];
  if (examples < recommendedExamples)
    return [
      problem(
        'warning',
        `${have}.`,
        `Training shows an effect from about ${recommendedExamples} examples. Add more if you can.`,
      ),
    ];
  return [];
}

function overlap({ overlap: { examples } }: FileFindings): TrainingProblem[] {
  if (examples === 0) return [];
  const which = examples === 1 ? 'One example is' : `${examples} examples are`;
  return [
    problem(
      'warning',
      `${which} also in the training file, so they cannot validate the model.`,
      'Remove them from one of the files.',
    ),
  ];
}
