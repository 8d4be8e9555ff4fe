import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The root package.json has the version of all of Roster; there is none beside it. */
const file = new URL('../../../package.json', import.meta.url);

export const version = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
