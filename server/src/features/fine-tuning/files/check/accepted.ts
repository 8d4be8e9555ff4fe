import type { TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import type { TrainingFileReport, TrainingReport } from '@roster/contracts/fine-tuning/training-files';
import { AppError } from '#server/lib/errors';

type ChosenFiles = {
  trainingFileId: number;
  validationFileId: number | null;
  method: TrainingMethod;
  baseModel: string;
};

/**
 * @throws invalid_input with the reason why the files cannot be trained with, in the words of the check that users can
 * request
 */
export type CheckFiles = (userId: number, chosen: ChosenFiles) => Promise<void>;

/** Files never change, so the choices that are fine can be remembered, up to this many. */
const maxRemembered = 2_000;

/** Remembers what the check has found fine, so that a user who saw its report does not wait for it again. */
export function createAcceptedFileCache(check: (userId: number, chosen: ChosenFiles) => Promise<TrainingReport>) {
  const fine = new Set<string>();
  const inProgress = new Map<string, Promise<TrainingReport>>();
  const nameOf = (userId: number, { trainingFileId, validationFileId, method, baseModel }: ChosenFiles) =>
    `${userId} ${trainingFileId} ${validationFileId} ${method} ${baseModel}`;

  function note(userId: number, chosen: ChosenFiles, { ok }: TrainingReport) {
    if (!ok) return;
    const [oldest] = fine;
    if (fine.size >= maxRemembered && oldest !== undefined) fine.delete(oldest);
    fine.add(nameOf(userId, chosen));
  }

  /** Pressing the button five times reads the files once. */
  function checkOnce(userId: number, chosen: ChosenFiles): Promise<TrainingReport> {
    const name = nameOf(userId, chosen);
    const pending = inProgress.get(name);
    if (pending) return pending;
    const report = check(userId, chosen).finally(() => inProgress.delete(name));
    inProgress.set(name, report);
    return report;
  }

  const checkFiles: CheckFiles = async (userId, chosen) => {
    if (fine.has(nameOf(userId, chosen))) return;
    const report = await checkOnce(userId, chosen);
    note(userId, chosen, report);
    if (!report.ok) throw refusal(report);
  };
  return { note, checkFiles };
}

function refusal({ training, validation }: TrainingReport): AppError {
  const fields = {
    ...(training.errors > 0 && { trainingFileId: problemsIn(training) }),
    ...(validation && validation.errors > 0 && { validationFileId: problemsIn(validation) }),
  };
  return new AppError('invalid_input', Object.values(fields).join(' '), { fields });
}

/** The first problem in full, and the number of others. */
function problemsIn({ filename, errors, problems }: TrainingFileReport): string {
  const first = problems.find(({ severity }) => severity === 'error');
  const where = first?.line ? `Line ${first.line}: ` : '';
  const others = errors - (first ? 1 : 0);
  return [
    `“${filename}” cannot be trained with.`,
    first && `${where}${first.message} ${first.fix}`,
    others > 0 &&
      `There ${others === 1 ? 'is one more problem' : `are ${others} more problems`}; the check lists them.`,
  ]
    .filter(Boolean)
    .join(' ');
}
