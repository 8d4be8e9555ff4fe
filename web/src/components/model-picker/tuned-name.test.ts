import { expect, test } from 'vitest';
import { splitTunedName } from './tuned-name.ts';

test.each([
  ['ft:gpt-4o-mini-2024-07-18:personal:support:Ab12Cd34', 'ft:gpt-4o-mini-2024-07-18:personal', ':support:Ab12Cd34'],
  ['ft:gpt-4o-2024-08-06:acme::Ab12Cd34', 'ft:gpt-4o-2024-08-06:acme', '::Ab12Cd34'],
  ['ft:gpt-4o:acme', 'ft:gpt-4o:acme', ''],
  ['llama3.2:3b:a:b', 'llama3.2:3b:a:b', ''],
  ['gpt-4o', 'gpt-4o', ''],
])('splits %s before its suffix', (id, head, tail) => expect(splitTunedName(id)).toEqual([head, tail]));
