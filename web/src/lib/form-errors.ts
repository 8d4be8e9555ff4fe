import type { FieldValues, Path, Resolver, UseFormReturn } from 'react-hook-form';
import { ApiError } from './api-client.ts';
import { preloadOnceUsable } from './lazy.ts';
import { showFailure } from './show-failure.ts';

/** Named after the last part of the path: `hyperparameters.beta` is the form's `beta`. */
const lastPart = (path: string): string | undefined => path.slice(path.lastIndexOf('.') + 1);

/**
 * Shows the server's field errors at the form's fields, and focuses the first. `fieldOf` maps a path to a field where
 * names differ. Returns true if there was one.
 */
export function showFieldErrors<Values extends FieldValues, Context, Output>(
  form: Pick<UseFormReturn<Values, Context, Output>, 'getValues' | 'setError'>,
  error: unknown,
  fieldOf: (path: string) => string | undefined = lastPart,
): boolean {
  if (!(error instanceof ApiError) || !error.fields) return false;
  const values = form.getValues();
  const isOfForm = (name: string | undefined): name is Path<Values> =>
    name !== undefined && Object.hasOwn(values, name);
  let shown = 0;
  for (const [path, message] of Object.entries(error.fields)) {
    const name = fieldOf(path);
    if (!isOfForm(name)) continue;
    form.setError(name, { message }, { shouldFocus: shown === 0 });
    shown += 1;
  }
  return shown > 0;
}

/** `onError` of a form: `tellFailure`, plus the server's field errors at their fields. */
export const showFormFailure =
  <Values extends FieldValues, Context, Output>(
    form: Pick<UseFormReturn<Values, Context, Output>, 'getValues' | 'setError'>,
    title: string,
    fallback?: string,
  ) =>
  (error: unknown): void => {
    showFieldErrors(form, error);
    showFailure(title, fallback)(error);
  };

/** Validation loaded after its page, because schemas bring in all of Zod. */
export function lazyResolver<Values extends FieldValues, Context, Output>(
  load: () => Promise<Resolver<Values, Context, Output>>,
): Resolver<Values, Context, Output> {
  preloadOnceUsable(load);
  return async (values, context, options) => (await load())(values, context, options);
}
