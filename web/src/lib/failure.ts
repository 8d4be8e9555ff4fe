import { errorText } from './api-client.ts';
import { tellProblem } from './toast.ts';

/** For `onError` and `catch`: says above the page what failed, and why in the server's words, else in those given here. */
export const tellFailure =
  (title: string, fallback?: string) =>
  (error: unknown): void =>
    tellProblem({ title, description: errorText(error, fallback) });
