import { errorText } from './api-client.ts';
import { toastError } from './toast.ts';

/** Error handler for `onError` and `catch`: shows a toast with the server's message, else with `fallback`. */
export const showFailure =
  (title: string, fallback?: string) =>
  (error: unknown): void =>
    toastError({ title, description: errorText(error, fallback) });
