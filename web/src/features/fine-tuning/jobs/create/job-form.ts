import { zodResolver } from '@hookform/resolvers/zod';
import { Hyperparameters, JobDraft, TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { z } from 'zod';

/** 'auto' and an empty field leave the value to the provider. */
function numberOf(text: string, ctx: z.RefinementCtx<string>) {
  const given = text.trim().toLowerCase();
  if (given === '' || given === 'auto') return 'auto' as const;
  const value = Number(given.replace(',', '.'));
  if (Number.isFinite(value)) return value;
  ctx.addIssue({ code: 'custom', message: 'Enter a number, or “auto”' });
  return z.NEVER;
}
const typed = z.string().transform(numberOf);
const { n_epochs, batch_size, learning_rate_multiplier, beta } = Hyperparameters.shape;
const epochs = typed.pipe(n_epochs.unwrap());

/** Form values; numbers are text while typed. */
const JobForm = z
  .object({
    ...JobDraft.shape,
    trainingFileId: z.number().nullable().pipe(JobDraft.shape.trainingFileId),
    validationFileId: z.number().nullable(),
    method: TrainingMethod,
    n_epochs: epochs,
    batch_size: typed.pipe(batch_size.unwrap()),
    learning_rate_multiplier: typed.pipe(learning_rate_multiplier.unwrap()),
    beta: typed.pipe(beta.unwrap()),
  })
  .omit({ hyperparameters: true })
  .refine(({ trainingFileId, validationFileId }) => trainingFileId !== validationFileId, {
    path: ['validationFileId'],
    message: 'Choose a different file from the training file, or None',
  });

export type JobFormValues = z.input<typeof JobForm>;
export type JobFormOutput = z.output<typeof JobForm>;
export type JobFormState = UseFormReturn<JobFormValues, unknown, JobFormOutput>;

/** Files that a job starts with. */
export type JobFiles = { trainingFileId: number; validationFileId: number | null };

/** Initial values: files, or the settings of an earlier job. */
export type JobStart = Partial<Pick<JobFormValues, 'name' | 'baseModel' | 'method'>> & {
  trainingFileId: number | null;
  validationFileId: number | null;
  hyperparameters?: Hyperparameters;
};

const asTyped = (value: number | 'auto' | undefined) => String(value ?? 'auto');

export function useJobForm({ hyperparameters, ...start }: Partial<JobStart> = {}): JobFormState {
  return useForm({
    resolver: zodResolver(JobForm),
    defaultValues: {
      name: start.name ?? '',
      baseModel: start.baseModel ?? '',
      trainingFileId: start.trainingFileId ?? null,
      validationFileId: start.validationFileId ?? null,
      method: start.method ?? 'supervised',
      n_epochs: asTyped(hyperparameters?.n_epochs),
      batch_size: asTyped(hyperparameters?.batch_size),
      learning_rate_multiplier: asTyped(hyperparameters?.learning_rate_multiplier),
      beta: asTyped(hyperparameters?.beta),
    },
  });
}

/** Converts form values to the request. */
export function toJobDraft(values: JobFormOutput): z.input<typeof JobDraft> {
  const { beta: weight, n_epochs, batch_size, learning_rate_multiplier, ...draft } = values;
  const hyperparameters = { n_epochs, batch_size, learning_rate_multiplier };
  return {
    ...draft,
    hyperparameters: draft.method === 'dpo' ? { ...hyperparameters, beta: weight } : hyperparameters,
  };
}

/** Epochs, if the text is a valid number. */
export function parseEpochs(text: string): number | 'auto' {
  return epochs.safeParse(text).data ?? 'auto';
}
