import { Credentials } from '@roster/contracts/auth';

export type LoginProblems = { email?: string; password?: string };

/** What is wrong with what was typed, the first of each field; nothing: it can be sent. */
export function problemsOf(values: { email: string; password: string }): LoginProblems {
  const problems: LoginProblems = {};
  for (const { path, message } of Credentials.safeParse(values).error?.issues ?? [])
    if (path[0] === 'email' || path[0] === 'password') problems[path[0]] ??= message;
  return problems;
}
