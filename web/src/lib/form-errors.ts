import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { ApiError } from './api-client.ts';
import { showFailure } from './show-failure.ts';

/**
 * Puts what the server said about single fields beside them: whatever the form has under that name, so that no field can
 * be forgotten. `hyperparameters.beta` is the form's `beta`. True when there was something.
 */
export function showFieldErrors<Values extends FieldValues, Context, Output>(
  form: Pick<UseFormReturn<Values, Context, Output>, 'getValues' | 'setError'>,
  error: unknown,
): boolean {
  if (!(error instanceof ApiError) || !error.fields) return false;
  const values = form.getValues();
  const isOfForm = (name: string): name is Path<Values> => Object.hasOwn(values, name);
  let shown = 0;
  for (const [path, message] of Object.entries(error.fields)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (!isOfForm(name)) continue;
    form.setError(name, { message }, { shouldFocus: shown === 0 });
    shown += 1;
  }
  return shown > 0;
}

/** For `onError` of a form: `tellFailure`, and beside the fields what the server said about them. */
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

/** Leads to the first field that has a problem, by its name. True when there is one. */
export function focusFirstProblem(form: HTMLFormElement, problems: object): boolean {
  const [first] = Object.keys(problems);
  if (first !== undefined) form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  return first !== undefined;
}
