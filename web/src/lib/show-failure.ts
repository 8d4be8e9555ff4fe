import { errorText } from './api-client.ts';
import { toastError } from './toast.ts';

/** For `onError` and `catch`: says above the page what failed, and why in the server's words, else in those given here. */
export const showFailure =
  (title: string, fallback?: string) =>
  (error: unknown): void =>
    toastError({ title, description: errorText(error, fallback) });
