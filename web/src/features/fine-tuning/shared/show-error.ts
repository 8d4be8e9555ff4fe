import { errorText } from '#web/lib/api-client.ts';
import { toastError } from '#web/lib/toast.ts';

/** For `onError`: what failed stands in the text here, and the title says no more than that something did. */
export const showError =
  (what: string) =>
  (error: unknown): void =>
    toastError({ title: 'Error', description: [what, errorText(error, '')].filter(Boolean).join('. ') });
