import { errorText } from '#web/lib/api-client.ts';
import { toastError } from '#web/lib/toast.ts';

/** Error handler for `onError`: the text says what failed, under a generic title. */
export const showError =
  (what: string) =>
  (error: unknown): void =>
    toastError({ title: 'Error', description: [what, errorText(error, '')].filter(Boolean).join('. ') });
