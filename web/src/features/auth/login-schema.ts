import { Credentials } from '@roster/contracts/auth';

export type LoginProblems = { email?: string; password?: string };

/** First error of each field; empty if the form is valid. */
export function problemsOf(values: { email: string; password: string }): LoginProblems {
  const problems: LoginProblems = {};
  for (const { path, message } of Credentials.safeParse(values).error?.issues ?? [])
    if (path[0] === 'email' || path[0] === 'password') problems[path[0]] ??= message;
  return problems;
}
