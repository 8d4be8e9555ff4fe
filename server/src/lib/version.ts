import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Only the root package.json has Roster's version. */
const file = new URL('../../../package.json', import.meta.url);

export const version = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
