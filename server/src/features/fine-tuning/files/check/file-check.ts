import type { TrainingProblem } from '@roster/contracts/fine-tuning/training-files';
import type { Line } from '#server/features/fine-tuning/files/lines';
import { type CountText, countExample, type ExampleFormat } from '#server/features/fine-tuning/files/tokens/tokens';
import type { JsonObject } from '#server/lib/is-object';
import { checkExample, formatOf, hasImages, isReinforcement } from './example.ts';
import { contentKey, readLine } from './json-line.ts';
import type { ReportProblem } from './message-check.ts';
import { type SeenLines, seenLines } from './seen-lines.ts';

export type CheckLimits = {
  /** Maximum of errors and of warnings that are listed. */
  listed: number;
  /** Tokens of an example; a longer one is cut. */
  tokens: number;
};

/** Lines of each format: all that look like it, and those that are right. */
type FormatCounts = Record<ExampleFormat, { lines: number; examples: number; tokens: number }>;

export type FileFindings = {
  lines: number;
  formats: FormatCounts;
  /** Objects of no format. */
  otherObjects: number;
  /** Lines with images, right or not. */
  withImages: number;
  longestTokens: number;
  cutExamples: number;
  duplicates: number;
  errors: number;
  warnings: number;
  problems: TrainingProblem[];
  /** Examples that are also in the other file. */
  overlap: { examples: number; lines: { training: number; validation: number }[] };
};

type Options = { limits: CheckLimits; countText: CountText; other?: SeenLines | undefined };

/** Counts all problems, and keeps the first of each severity. */
function foundProblems(listed: number) {
  const kept = { error: [] as TrainingProblem[], warning: [] as TrainingProblem[] };
  const counts = { error: 0, warning: 0 };
  return {
    counts,
    /** null for problems of the file as a whole. */
    tellOf:
      (line: number | null): ReportProblem =>
      (severity, message, fix) => {
        counts[severity]++;
        if (kept[severity].length < listed) kept[severity].push({ line, severity, message, fix });
      },
    /** Errors, then warnings as far as there is room, by line. */
    list(): TrainingProblem[] {
      const warnings = kept.warning.slice(0, listed - kept.error.length);
      return [...kept.error, ...warnings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    },
  };
}

const none = () => ({ lines: 0, examples: 0, tokens: 0 });

/** Checks a file line by line, and holds only hashes and the first problems. */
export function fileCheck({ limits, countText, other }: Options) {
  const seen = seenLines();
  const problems = foundProblems(limits.listed);
  const formats: FormatCounts = { chat: none(), preference: none(), prompt_completion: none() };
  const overlap: FileFindings['overlap'] = { examples: 0, lines: [] };
  const sums = { lines: 0, otherObjects: 0, withImages: 0, longestTokens: 0, cutExamples: 0, duplicates: 0 };

  function count(format: ExampleFormat, tokens: number, tell: ReportProblem) {
    const cut = Math.min(tokens, limits.tokens);
    formats[format].examples++;
    formats[format].tokens += cut;
    sums.longestTokens = Math.max(sums.longestTokens, tokens);
    if (cut === tokens) return;
    sums.cutExamples++;
    tell('warning', ...longExample(tokens, limits.tokens));
  }

  function compare(value: JsonObject, number: number, tell: ReportProblem) {
    const key = contentKey(value);
    const earlier = seen.add(key, number);
    if (earlier !== undefined) {
      sums.duplicates++;
      tell('warning', `The example repeats line ${earlier}.`, 'Remove one of them, unless it is to count twice.');
    }
    const training = other?.find(key);
    if (training === undefined) return;
    overlap.examples++;
    if (overlap.lines.length < limits.listed) overlap.lines.push({ training, validation: number });
  }

  return {
    seen,
    tell: problems.tellOf(null),
    take({ number, bytes }: Line) {
      sums.lines = number;
      const tell = problems.tellOf(number);
      const read = readLine(bytes, { imagesApart: true });
      if (read.kind === 'blank') return tell('warning', 'The line is empty.', 'Remove it.');
      if (read.kind === 'wrong') return tell('error', read.message, read.fix);
      const { value } = read;
      const format = formatOf(value);
      if (format === 'unknown') {
        sums.otherObjects++;
        return tell('error', ...(isReinforcement(value) ? noReinforcement : noExample));
      }
      formats[format].lines++;
      if (hasImages(value)) sums.withImages++;
      const before = problems.counts.error;
      checkExample(format, value, tell);
      if (problems.counts.error > before) return;
      count(format, countExample(format, value, countText), tell);
      compare(value, number, tell);
    },
    findings(): FileFindings {
      const { error: errors, warning: warnings } = problems.counts;
      return { ...sums, errors, warnings, formats, problems: problems.list(), overlap };
    },
  };
}

const noExample: readonly [message: string, fix: string] = [
  'The line is not a training example.',
  'Give it "messages"; or "input", "preferred_output" and "non_preferred_output" for preferences.',
];

const noReinforcement: readonly [message: string, fix: string] = [
  'The line is an example for reinforcement fine-tuning, which Roster does not train.',
  'Give each example the answer to learn as its last message, without fields for a grader.',
];

const longExample = (tokens: number, limit: number) =>
  [
    `The example is ${tokens} tokens long; only the first ${limit} are trained on.`,
    'Shorten it, or make several examples of it.',
  ] as const;
