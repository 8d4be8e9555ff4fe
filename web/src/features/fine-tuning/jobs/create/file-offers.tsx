import type { File } from '@roster/contracts/files/files';
import type { TrainingFileReport } from '@roster/contracts/fine-tuning/training-files';
import { ArrowRightLeft, Split } from 'lucide-react';
import { useState } from 'react';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Slider } from '#web/ui/forms/slider.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useConvertFile, useSplitFile } from '../training-file-queries.ts';

export type Conversion = { file: File; examples: number; leftOut: { lines: number; first: number[] } };
type ConvertOfferProps = { report: TrainingFileReport; onConverted: (conversion: Conversion) => void };

/** Converts prompt-completion pairs to chat examples in a new file. */
export function ConvertOffer({ report: { fileId, filename, examples }, onConverted }: ConvertOfferProps) {
  const convert = useConvertFile();
  const start = () =>
    convert.mutate(fileId, {
      onSuccess: (conversion) => {
        const { file, examples } = conversion;
        toast({
          title: 'Success',
          description: `${file.filename} has been created, with ${formatCount(examples, 'example')}.`,
        });
        onConverted(conversion);
      },
      onError: showError('Failed to convert the file'),
    });
  return (
    <div className="rounded-md border border-border px-3.5 py-3">
      <p className="text-muted-foreground text-sm">
        <bdi>{filename}</bdi>
        {` contains ${formatCount(examples, 'prompt-completion pair')}, which current models do not accept. Roster converts them into a new file of chat examples and keeps this one.`}
      </p>
      <Button
        icon={ArrowRightLeft}
        busy={convert.isPending}
        pendingLabel="Converting..."
        onClick={start}
        className="mt-3"
      >
        Convert to Chat Format
      </Button>
    </div>
  );
}

/** Result of a conversion with its new file. */
export function ConversionResult({ conversion: { file, examples, leftOut } }: { conversion: Conversion }) {
  const { lines, first } = leftOut;
  const converted = `${formatCount(examples, 'line')} converted`;
  if (lines === 0)
    return (
      <Notice title={`${converted}, none left out`}>
        <bdi>{file.filename}</bdi> contains all pairs as chat examples.
      </Notice>
    );
  const named = first.map(formatNumber).join(', ');
  return (
    <Notice tone="warning" title={`${converted}, ${formatNumber(lines)} left out`}>
      {`Not prompt-completion pairs: line ${named}${lines > first.length ? ' and more' : ''} of the file that ${file.filename} was converted from.`}
    </Notice>
  );
}

type SplitOfferProps = {
  report: TrainingFileReport;
  onSplit: (files: { training: number; validation: number }) => void;
};

/** Splits off examples for validation. */
export function SplitOffer({ report: { fileId, examples }, onSplit }: SplitOfferProps) {
  const split = useSplitFile();
  const [percent, setPercent] = useState(20);
  const start = () =>
    split.mutate(
      { fileId, validationShare: percent / 100 },
      {
        onSuccess: ({ training, validation, examples }) => {
          toast({
            title: 'Success',
            description: `${training.filename} with ${formatCount(examples.training, 'example')} and ${validation.filename} with ${formatNumber(examples.validation)} have been created and selected.`,
          });
          onSplit({ training: training.id, validation: validation.id });
        },
        onError: showError('Failed to split the file'),
      },
    );
  return (
    <div className="grid items-end gap-x-5 gap-y-3 rounded-md border border-border px-3.5 py-3 sm:grid-cols-[1fr_auto]">
      <Field
        label="Share for validation"
        aside={<output className="font-medium">{percent} %</output>}
        hint={`About ${formatCount(Math.round((examples * percent) / 100), 'example')} are kept out of the training; their loss shows whether the model learns or memorises. Examples with the same first question stay together.`}
      >
        {(control) => <Slider {...control} value={percent} onValueChange={setPercent} min={5} max={50} step={5} />}
      </Field>
      <Button icon={Split} busy={split.isPending} pendingLabel="Splitting..." onClick={start}>
        Split Off Validation Data
      </Button>
    </div>
  );
}
