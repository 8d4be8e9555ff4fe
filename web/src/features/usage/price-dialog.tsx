import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { pricesQuery, useSetPrice } from '#web/data/usage.ts';
import { ApiError, errorText } from '#web/lib/api.ts';
import { formatCount } from '#web/lib/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SpinnerPanel } from '#web/ui/spinner.tsx';
import { toast } from '#web/ui/toast.tsx';
import { readAmount, writeAmount } from './amount.ts';

type PriceDialogProps = { model: string; onClose: () => void };
type Draft = { input: string; cachedInput: string; output: string };
type Problems = Partial<Record<keyof Draft, string>>;

const highest = 1_000_000;

function problemsOf(draft: Draft): Problems {
  const problem = (typed: string, isOptional: boolean): string | undefined => {
    if (typed.trim() === '') return isOptional ? undefined : 'Enter a price; 0 where it costs nothing';
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

/** Sets what a model costs that the price list does not know; begins with the price set before. */
export function PriceDialog({ model, onClose }: PriceDialogProps) {
  const prices = useQuery(pricesQuery);
  const known = prices.data?.find((price) => price.model === model);
  const formId = useId();
  const { mutate, isPending, error } = useSetPrice();
  const save = (draft: Draft) =>
    mutate(
      {
        model,
        input: readAmount(draft.input),
        cachedInput: draft.cachedInput.trim() === '' ? null : readAmount(draft.cachedInput),
        output: readAmount(draft.output),
      },
      {
        onSuccess: ({ pricedRequests }) => {
          toast({
            title: 'Price saved',
            description:
              pricedRequests > 0
                ? `${formatCount(pricedRequests, 'past request')} to ${model} got this price too.`
                : `It holds for ${model} from now on.`,
          });
          onClose();
        },
      },
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Set price"
      description={
        <>
          What <span className="wrap-anywhere font-mono text-foreground text-sm">{model}</span> costs, in US dollars per
          1,000,000 tokens. Past requests that have no price yet get this one too.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={isPending} pendingLabel="Saving...">
            Save price
          </Button>
        </>
      }
    >
      {prices.isPending ? (
        <SpinnerPanel label="Loading the price" />
      ) : (
        <PriceForm
          id={formId}
          initial={{
            input: known ? writeAmount(known.input) : '',
            cachedInput: known && known.cachedInput !== null ? writeAmount(known.cachedInput) : '',
            output: known ? writeAmount(known.output) : '',
          }}
          error={error}
          onSave={save}
        />
      )}
    </Dialog>
  );
}

type PriceFormProps = { id: string; initial: Draft; error: Error | null; onSave: (draft: Draft) => void };

function PriceForm({ id, initial, error, onSave }: PriceFormProps) {
  const [draft, setDraft] = useState(initial);
  const [problems, setProblems] = useState<Problems>({});
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemsOf(draft);
    setProblems(found);
    const [first] = Object.keys(found);
    if (first) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    else onSave(draft);
  };
  const field = (name: keyof Draft, label: string, hint: string, required: boolean) => (
    <Field label={label} hint={hint} error={problems[name]} required={required}>
      {(control) => (
        <Input
          {...control}
          name={name}
          inputMode="decimal"
          autoComplete="off"
          placeholder="0.00"
          value={draft[name]}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <form id={id} ref={form} noValidate onSubmit={submit} className="space-y-4">
      {field('input', 'Input', 'USD per 1,000,000 tokens that are sent.', true)}
      {field('cachedInput', 'Cached input', 'Left empty, cached tokens cost as much as other input.', false)}
      {field('output', 'Output', 'USD per 1,000,000 tokens of answers, reasoning included.', true)}
      {error && (
        <Notice tone="destructive" live title="The price was not saved">
          {errorText(error, error instanceof ApiError ? error.message : undefined)}
        </Notice>
      )}
    </form>
  );
}
