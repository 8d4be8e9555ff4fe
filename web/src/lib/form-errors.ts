import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { ApiError } from './api.ts';

/** Puts what the server said about single fields beside them. True when there was something. */
export function showFieldErrors<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  error: unknown,
  names: readonly Path<Values>[],
): boolean {
  if (!(error instanceof ApiError) || !error.fields) return false;
  const wrong = names.filter((name) => error.fields?.[name] !== undefined);
  for (const [index, name] of wrong.entries()) {
    form.setError(name, { message: error.fields[name] ?? error.message }, { shouldFocus: index === 0 });
  }
  return wrong.length > 0;
}
