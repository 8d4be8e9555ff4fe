import { zodResolver } from '@hookform/resolvers/zod';
import { isBlank } from '@roster/contracts/text/blank';
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { z } from 'zod';
import { readAmount } from './text/amount.ts';

type SchemaFormOptions = {
  /** Focuses the first invalid field; true by default. */
  shouldFocusError?: boolean;
};

/** A form that a schema validates on submit. Errors stay until the next submit, unless the form clears them. */
export const useSchemaForm = <Input extends FieldValues, Output>(
  schema: z.ZodType<Output, Input>,
  defaultValues: DefaultValues<Input>,
  options: SchemaFormOptions = {},
) =>
  useForm<Input, unknown, Output>({
    resolver: zodResolver(schema),
    defaultValues,
    reValidateMode: 'onSubmit',
    ...options,
  });

/** For forms whose fields differ from the contract's: `problemsOf` maps the contract's errors to form fields. */
export const problemsSchema = <Values extends FieldValues>(
  problemsOf: (values: Values) => Partial<Record<keyof Values, string>>,
) =>
  z.custom<Values>().superRefine((values, context) => {
    for (const [name, message] of Object.entries<string | undefined>(problemsOf(values)))
      context.addIssue({ code: 'custom', path: [name], message });
  });

function toAmount(typed: string, message: string, context: z.RefinementCtx<string>) {
  const amount = readAmount(typed);
  if (!Number.isNaN(amount)) return Math.min(amount, Number.MAX_VALUE);
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** A typed amount, as a number. */
export const amountText = (message: string) =>
  z.string().transform((typed, context) => toAmount(typed, message, context));

/** The same; null if nothing is typed. */
export const optionalAmountText = (message: string) =>
  z.string().transform((typed, context) => (isBlank(typed) ? null : toAmount(typed, message, context)));
