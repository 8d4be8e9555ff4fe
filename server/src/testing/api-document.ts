import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newToken } from './access-tokens.ts';
import type { TestApp } from './app.ts';
import { createAssistant } from './assistants.ts';

export const apiDocument = readFileSync(new URL('../../../docs/user/api.md', import.meta.url), 'utf8');

/** The code in the document, in order. */
export const apiSnippets = [...apiDocument.matchAll(/^```(sh|js)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

/** The variables that the document tells its readers to set, for a user with one assistant. */
export async function apiVariables(app: TestApp) {
  const ada = await app.withKey('ada');
  await createAssistant(ada, { name: 'Tutor' });
  const { token } = await newToken(ada, { rights: ['chat'] });
  return { PATH: process.env.PATH ?? '', OPENAI_BASE_URL: `${app.url}/v1`, OPENAI_API_KEY: token };
}

/** The output of the program that runs the code. */
export async function runSnippet([program = '', ...args]: string[], env: Record<string, string>): Promise<string> {
  // The code's imports are resolved from here.
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return (await promisify(execFile)(program, args, { cwd, env })).stdout;
}
