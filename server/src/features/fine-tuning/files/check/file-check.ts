import type { TrainingProblem } from '@roster/contracts/fine-tuning/training-files';
import { type Line, lineLimit } from '#server/features/fine-tuning/files/lines';
import { type CountText, countExample } from '#server/features/fine-tuning/files/tokens/tokens';
import { checkExample, type ExampleFormat, formatOf } from './example.ts';
import { contentKey, readLine } from './json-line.ts';
import type { Tell } from './message-check.ts';
import { type SeenLines, seenLines } from './seen-lines.ts';

export type CheckLimits = {
  /** Of each kind, errors and warnings, so many are kept. */
  listed: number;
  /** Of an example; what is longer is cut. */
  tokens: number;
};

/** How many lines of each format there are: all that look like it, and those of them that are right. */
type Counted = Record<ExampleFormat, { lines: number; examples: number; tokens: number }>;

export type FileFindings = {
  lines: number;
  formats: Counted;
  /** Objects of no format. */
  otherObjects: number;
  longestTokens: number;
  cutExamples: number;
  duplicates: number;
  errors: number;
  warnings: number;
  problems: TrainingProblem[];
  /** The examples that stand in the other file too. */
  overlap: { examples: number; lines: { training: number; validation: number }[] };
};

type Options = { limits: CheckLimits; countText: CountText; other?: SeenLines | undefined };

/** Checks a file line by line, and holds of it only hashes and the first problems. */
export function fileCheck({ limits, countText, other }: Options) {
  const seen = seenLines();
  const found = { error: [] as TrainingProblem[], warning: [] as TrainingProblem[] };
  const counts = { error: 0, warning: 0 };
  const none = () => ({ lines: 0, examples: 0, tokens: 0 });
  const formats: Counted = { chat: none(), preference: none(), prompt_completion: none() };
  const overlap: FileFindings['overlap'] = { examples: 0, lines: [] };
  let [lines, otherObjects, longestTokens, cutExamples, duplicates] = [0, 0, 0, 0, 0];

  function tellOf(line: number | null): Tell {
    return (severity, message, fix) => {
      counts[severity]++;
      if (found[severity].length < limits.listed) found[severity].push({ line, severity, message, fix });
    };
  }

  function count(format: ExampleFormat, tokens: number, tell: Tell) {
    const cut = Math.min(tokens, limits.tokens);
    formats[format].examples++;
    formats[format].tokens += cut;
    longestTokens = Math.max(longestTokens, tokens);
    if (cut === tokens) return;
    cutExamples++;
    tell(
      'warning',
      `The example is ${tokens} tokens long; only the first ${limits.tokens} are trained on.`,
      'Shorten it, or make several examples of it.',
    );
  }

  return {
    seen,
    tell: tellOf(null),
    take({ number, bytes }: Line) {
      lines = number;
      const tell = tellOf(number);
      const read = readLine(bytes, lineLimit);
      if (read.kind === 'blank') return tell('warning', 'The line is empty.', 'Remove it.');
      if (read.kind === 'wrong') return tell('error', read.message, read.fix);
      const { value } = read;
      const format = formatOf(value);
      if (format === 'unknown') {
        otherObjects++;
        return tell(
          'error',
          'The line is no training example.',
          'Give it "messages"; or "input", "preferred_output" and "non_preferred_output" for preferences.',
        );
      }
      formats[format].lines++;
      const before = counts.error;
      checkExample(format, value, tell);
      if (counts.error > before) return;
      count(format, countExample(format, value, countText), tell);
      const key = contentKey(value);
      const earlier = seen.add(key, number);
      if (earlier !== undefined) {
        duplicates++;
        tell('warning', `The example repeats line ${earlier}.`, 'Remove one of them, unless it is to count twice.');
      }
      const training = other?.find(key);
      if (training === undefined) return;
      overlap.examples++;
      if (overlap.lines.length < limits.listed) overlap.lines.push({ training, validation: number });
    },
    findings(): FileFindings {
      const warnings = found.warning.slice(0, limits.listed - found.error.length);
      const problems = [...found.error, ...warnings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
      const { error: errors, warning } = counts;
      const sums = { lines, otherObjects, longestTokens, cutExamples, duplicates, errors, warnings: warning };
      return { ...sums, formats, problems, overlap };
    },
  };
}
