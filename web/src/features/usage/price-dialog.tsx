import { isBlank } from '@roster/contracts/text/blank';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { pricesQuery, useSetPrice } from '#web/api/usage.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { readAmount, writeAmount } from '#web/lib/amount.ts';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { formatCount } from '#web/lib/format.ts';
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
type Draft = { input: string; cachedInput: string; output: string };
type Problems = Partial<Record<keyof Draft, string>>;

const highest = 1_000_000;

function problemsOf(draft: Draft): Problems {
  const problem = (typed: string, isOptional: boolean): string | undefined => {
    if (isBlank(typed)) return isOptional ? undefined : 'Enter a price; 0 where it costs nothing';
    const amount = readAmount(typed);
    if (Number.isNaN(amount)) return 'Enter an amount such as 2.50';
    return amount > highest ? 'This price is too high' : undefined;
  };
  const found: Problems = {};
  for (const name of ['input', 'cachedInput', 'output'] as const) {
    const words = problem(draft[name], name === 'cachedInput');
    if (words) found[name] = words;
  }
  return found;
}

const asked: readonly { name: keyof Draft; label: string; hint: string; required: boolean }[] = [
  { name: 'input', label: 'Input', hint: 'USD per 1,000,000 tokens that are sent.', required: true },
  {
    name: 'cachedInput',
    label: 'Cached input',
    hint: 'Left empty, cached tokens cost as much as other input.',
    required: false,
  },
  {
    name: 'output',
    label: 'Output',
    hint: 'USD per 1,000,000 tokens of answers, reasoning included.',
    required: true,
  },
];

/** The price that is typed, over the one that was set before, and how it is saved. */
function usePriceForm({ model, onClose }: Pick<PriceDialogProps, 'model' | 'onClose'>) {
  const prices = useQuery(pricesQuery);
  const known = prices.data?.find((price) => price.model === model);
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const [problems, setProblems] = useState<Problems>({});
  const { mutate, isPending, error } = useSetPrice();
  const draft: Draft = {
    input: known ? writeAmount(known.input) : '',
    cachedInput: known && known.cachedInput !== null ? writeAmount(known.cachedInput) : '',
    output: known ? writeAmount(known.output) : '',
    ...typed,
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (prices.isPending) return;
    const found = problemsOf(draft);
    setProblems(found);
    if (focusFirstProblem(event.currentTarget, found)) return;
    mutate(
      {
        model,
        input: readAmount(draft.input),
        cachedInput: isBlank(draft.cachedInput) ? null : readAmount(draft.cachedInput),
        output: readAmount(draft.output),
      },
      {
        onSuccess: ({ pricedRequests }) => {
          toast({
            title: 'Price saved',
            description:
              pricedRequests > 0
                ? `${formatCount(pricedRequests, 'past request')} to ${model} got this price too.`
                : `It applies to ${model} from now on.`,
          });
          onClose();
        },
      },
    );
  };
  const type = (name: keyof Draft, amount: string) => setTyped({ ...typed, [name]: amount });
  return { draft, type, problems, submit, isLoading: prices.isPending, isPending, error };
}

/** Sets a custom price for a model that is not in the price list, or only by its family. */
export function PriceDialog(props: PriceDialogProps) {
  const { model, family, onClose } = props;
  const { draft, type, problems, submit, isLoading, isPending, error } = usePriceForm(props);
  return (
    <FormDialog
      title="Set price"
      description={
        <>
          What <span className="wrap-anywhere font-mono text-foreground text-sm">{model}</span> costs, in US dollars per
          1,000,000 tokens.{' '}
          {family === null
            ? 'Past requests that have no price yet get this one too.'
            : `Roster knows no price for this snapshot and uses that of ${family}. Your price applies from now on; past requests keep theirs.`}
        </>
      }
      action={['Save price', 'Saving...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The price was not saved', error }}
      className="space-y-4"
    >
      {isLoading ? (
        <SpinnerPanel label="Loading the price" />
      ) : (
        asked.map(({ name, label, hint, required }) => (
          <Field key={name} label={label} hint={hint} error={problems[name]} required={required}>
            {(control) => (
              <Input
                {...control}
                name={name}
                inputMode="decimal"
                autoComplete="off"
                placeholder="0.00"
                value={draft[name]}
                onChange={(event) => type(name, event.target.value)}
              />
            )}
          </Field>
        ))
      )}
    </FormDialog>
  );
}
