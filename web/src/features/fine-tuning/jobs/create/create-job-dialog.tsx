import type { File } from '@roster/contracts/files/files';
import { type BaseModel, jobNameLimit } from '@roster/contracts/fine-tuning/jobs';
import { minExamples } from '@roster/contracts/fine-tuning/training-files';
import { codePointLength } from '@roster/contracts/text/length';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useCreateJob } from '#web/api/fine-tuning.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { newClientId } from '#web/lib/client-id.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { jobEstimateKey, trainingCost } from '../training-file-queries.ts';
import { BaseModelField } from './base-model-field.tsx';
import { FileField } from './file-field.tsx';
import { type Conversion, ConversionResult, ConvertOffer, SplitOffer } from './file-offers.tsx';
import { HyperparameterFields } from './hyperparameter-fields.tsx';
import {
  type JobFormOutput,
  type JobFormState,
  type JobStart,
  parseEpochs,
  toJobDraft,
  useJobForm,
} from './job-form.ts';
import { TrainingCheckPanel } from './training-check-panel.tsx';
import { type TrainingCheck, useTrainingCheck } from './use-training-check.ts';

type CreateJobDialogProps = {
  baseModels: Record<string, BaseModel>;
  files: readonly File[];
  start: JobStart | undefined;
  /** Shown above the form. */
  notice?: ReactNode;
  onClose: () => void;
};

export function CreateJobDialog({ baseModels, files, start, notice, onClose }: CreateJobDialogProps) {
  const form = useJobForm(start);
  const check = useCheckOf(form);
  const { create, submit } = useSubmit(form, check);
  const offers = useOffers(form, check.report);
  const { errors, isDirty } = form.formState;
  return (
    <FormDialog
      size="lg"
      title="Create Fine-Tuning Job"
      description="The files are checked here before anything is sent. The training itself is billed by the provider."
      action={['Create Job', 'Creating...']}
      disabledReason={whyNot(check)}
      busy={create.isPending}
      onSubmit={form.handleSubmit(submit)}
      onClose={onClose}
      unsaved={{
        when: isDirty && !create.isSuccess,
        what: 'this job',
        question: { description: 'Your entries for this job will be lost.' },
      }}
      className="grid gap-5"
    >
      {notice}
      <Field
        label="Name"
        required
        error={errors.name?.message}
        counter={{ value: codePointLength(form.watch('name')), max: jobNameLimit }}
      >
        {(control) => <Input {...control} {...form.register('name')} autoComplete="off" data-autofocus />}
      </Field>
      <BaseModelField form={form} baseModels={baseModels} />
      <FileFields form={form} files={files} />
      <TrainingCheckPanel
        check={check}
        epochs={parseEpochs(form.watch('n_epochs'))}
        hasModel={form.watch('baseModel') !== ''}
        offers={offers}
      />
      <HyperparameterFields form={form} />
    </FormDialog>
  );
}

function FileFields({ form, files }: { form: JobFormState; files: readonly File[] }) {
  return (
    <>
      <FileField
        control={form.control}
        name="trainingFileId"
        label="Training file"
        required
        none="Choose a file"
        hint="JSONL, one chat example per line; prompt-completion pairs are converted on request."
        files={files}
      />
      <FileField
        control={form.control}
        name="validationFileId"
        label="Validation file"
        none="None"
        hint="Examples for measuring the model, not for training."
        files={files}
      />
    </>
  );
}

/** Creates the job and opens its page. */
function useSubmit(form: JobFormState, check: TrainingCheck) {
  const create = useCreateJob();
  const client = useQueryClient();
  const navigate = useNavigate();
  const clientIdOf = useClientId();

  // In an effect: the guard for unsaved changes must be gone before navigating.
  const created = create.data;
  useEffect(() => {
    if (created) void navigate({ to: '/fine-tuning/jobs/$id', params: { id: created.id } });
  }, [created, navigate]);

  const submit = (values: JobFormOutput) => {
    const estimate = check.report && trainingCost(check.report, values.n_epochs);
    const draft = toJobDraft(values);
    create.mutate(
      { ...draft, clientId: clientIdOf(JSON.stringify(draft)) },
      {
        onSuccess: (job) => {
          if (estimate) client.setQueryData(jobEstimateKey(job.id), estimate);
          toast({ title: 'Success', description: `${job.name} has been created.` });
        },
        onError: (error) => {
          showFieldErrors(form, error);
          showError('Failed to create fine-tuning job')(error);
        },
      },
    );
  };
  return { create, submit };
}

/** Suggested actions for the selected files, shown at their reports. */
function useOffers(form: JobFormState, report: TrainingCheck['report']) {
  const [conversions, setConversions] = useState<Conversion[]>([]);
  const choose = (name: 'trainingFileId' | 'validationFileId', id: number) =>
    form.setValue(name, id, { shouldDirty: true, shouldValidate: true });
  const convertOffer = (which: 'training' | 'validation') => {
    const part = report?.[which];
    if (part?.format === 'prompt_completion')
      return (
        <ConvertOffer
          report={part}
          onConverted={(conversion) => {
            setConversions((before) => [...before, conversion]);
            choose(`${which}FileId`, conversion.file.id);
          }}
        />
      );
    const conversion = conversions.find(({ file }) => file.id === part?.fileId);
    return conversion ? <ConversionResult conversion={conversion} /> : null;
  };
  const maySplit = report && report.validation === null && report.ok && report.training.examples >= 2 * minExamples;
  const splitOffer = maySplit && (
    <SplitOffer
      report={report.training}
      onSplit={({ training, validation }) => {
        choose('trainingFileId', training);
        choose('validationFileId', validation);
      }}
    />
  );
  return { training: convertOffer('training'), validation: splitOffer || convertOffer('validation') };
}

function useCheckOf(form: JobFormState): TrainingCheck {
  const [trainingFileId, validationFileId, baseModel, method] = useWatch({
    control: form.control,
    name: ['trainingFileId', 'validationFileId', 'baseModel', 'method'],
  });
  return useTrainingCheck(trainingFileId === null ? null : { trainingFileId, validationFileId, baseModel, method });
}

/** Idempotency key: the same for the same content, so that a retry creates no second job. */
function useClientId(): (content: string) => string {
  const sent = useRef<{ content: string; id: string }>(null);
  return (content) => {
    if (sent.current?.content !== content) sent.current = { content, id: newClientId() };
    return sent.current.id;
  };
}

/** Why the job cannot be created yet. A check that was cancelled or failed does not block it. */
function whyNot({ isRunning, report, isStopped }: TrainingCheck): string | undefined {
  if (isRunning) return 'The files are being checked.';
  if (!report || isStopped || report.ok) return undefined;
  const { training, validation } = report;
  if (training.format === 'prompt_completion') return 'Convert the training file to chat format first.';
  const wrong = training.errors > 0 ? training : validation;
  return wrong && wrong.errors > 0
    ? `${formatCount(wrong.errors, 'problem')} in ${wrong.filename} must be fixed first.`
    : 'These files cannot be used for training.';
}
