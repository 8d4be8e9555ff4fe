import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The command line and environment of a tool server. */
export type ToolCommand = { command: string; args: string[]; env: Record<string, string> };
export type ToolCommands = ReadonlyMap<string, ToolCommand>;

const Text = z.string().max(8_000);
const Commands = z.record(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'a name has up to 40 letters, digits, dots and hyphens'),
  z.strictObject({
    command: Text.min(1),
    args: z.array(Text).max(100).default([]),
    env: z
      .record(
        z
          .string()
          .regex(
            /^[A-Za-z_][A-Za-z0-9_]*$/,
            'a variable name has letters, digits and underscores, and does not begin with a digit',
          ),
        Text,
      )
      .default({}),
  }),
);

/** The commands that the operator allows; none without a file. @throws Error that says what is wrong with it */
export function readToolCommands(file: string | undefined): ToolCommands {
  if (file === undefined) return new Map();
  const { data, error } = Commands.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (error) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  return new Map(Object.entries(data));
}
