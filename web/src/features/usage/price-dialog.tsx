import { zodResolver } from '@hookform/resolvers/zod';
import { isBlank } from '@roster/contracts/text/blank';
import { Amount, type CustomPrice } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { modelName } from '#web/api/model-names.ts';
import { pricesQuery, useSetPrice } from '#web/api/usage.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ModelName } from '#web/components/model-name.tsx';
import { amountText, optionalAmountText } from '#web/lib/schema-form.ts';
import { writeAmount } from '#web/lib/text/amount.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';

type PriceDialogProps = {
  model: string;
  /** The model whose price applies until one is set; null if none does. */
  family: string | null;
  onClose: () => void;
};

const example = 'Enter an amount such as 2.50';
const price = z
  .string()
  .refine((typed) => !isBlank(typed), { message: 'Enter a price, or 0 if it is free', abort: true })
  .pipe(amountText(example))
  .pipe(Amount);
const PriceForm = z.object({
  input: price,
  cachedInput: optionalAmountText(example).pipe(Amount.nullable()),
  output: price,
});
type PriceValues = z.input<typeof PriceForm>;

const typedOf = (known: CustomPrice | undefined): PriceValues => ({
  input: known ? writeAmount(known.input) : '',
  cachedInput: known && known.cachedInput !== null ? writeAmount(known.cachedInput) : '',
  output: known ? writeAmount(known.output) : '',
});

const asked: readonly { name: keyof PriceValues; label: string; hint: string; required: boolean }[] = [
  { name: 'input', label: 'Input', hint: 'USD per 1,000,000 tokens sent.', required: true },
  {
    name: 'cachedInput',
    label: 'Cached input',
    hint: 'Leave empty to charge cached tokens as other input.',
    required: false,
  },
  {
    name: 'output',
    label: 'Output',
    hint: 'USD per 1,000,000 output tokens, including reasoning.',
    required: true,
  },
];

/** The typed price, starting from the saved one, and its submission. */
function usePriceForm({ model, onClose }: Pick<PriceDialogProps, 'model' | 'onClose'>) {
  const prices = useQuery(pricesQuery);
  const known = prices.data?.find((price) => price.model === model);
  const { mutate, isPending, error } = useSetPrice();
  const form = useForm({
    resolver: zodResolver(PriceForm),
    // The saved price loads later; keep what is typed.
    values: typedOf(known),
    resetOptions: { keepDirtyValues: true },
    reValidateMode: 'onSubmit',
  });
  const save = form.handleSubmit((typed) =>
    mutate(
      { model, ...typed },
      {
        onSuccess: ({ pricedRequests }) => {
          toast({
            title: 'Price saved',
            description:
              pricedRequests > 0
                ? `It also applies to ${formatCount(pricedRequests, 'past request')} to ${modelName(model)}.`
                : `It applies to ${modelName(model)} from now on.`,
          });
          onClose();
        },
      },
    ),
  );
  const submit = () => !prices.isPending && save();
  return { form, submit, isLoading: prices.isPending, isPending, error };
}

/** Sets a custom price for a model that is not in the price list, or only by its family. */
export function PriceDialog(props: PriceDialogProps) {
  const { model, family, onClose } = props;
  const { form, submit, isLoading, isPending, error } = usePriceForm(props);
  return (
    <FormDialog
      title="Set price"
      description={
        <>
          What{' '}
          <span className="wrap-anywhere font-mono text-foreground text-sm">
            <ModelName model={model} />
          </span>{' '}
          costs, in US dollars per 1,000,000 tokens.{' '}
          {family === null
            ? 'It also applies to past requests with no price.'
            : `Roster has no price for this snapshot and uses the price of ${family}. Your price applies from now on; past requests keep theirs.`}
        </>
      }
      action={['Save price', 'Saving...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to save the price', error }}
      className="space-y-4"
    >
      {isLoading ? (
        <SpinnerPanel label="Loading the price" />
      ) : (
        asked.map(({ name, label, hint, required }) => (
          <Field key={name} label={label} hint={hint} error={form.formState.errors[name]?.message} required={required}>
            {(control) => (
              <Input {...control} {...form.register(name)} inputMode="decimal" autoComplete="off" placeholder="0.00" />
            )}
          </Field>
        ))
      )}
    </FormDialog>
  );
}
