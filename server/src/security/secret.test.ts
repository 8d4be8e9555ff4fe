import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Secret } from '#server/security/secret';

test('cannot print a secret by accident', () => {
  const secret = new Secret('sk-do-not-show');
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  log.info({ secret, inside: { secret } }, 'with %s and %o', secret, secret);
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret, list: [secret] }),
    inspect(secret),
    inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
    format('%s %j %o %O', secret, secret, secret, secret),
    Object.entries(secret).join(),
    JSON.stringify(structuredClone({ ...secret })),
    lines.join(''),
  ];
  for (const text of printed) expect(text).not.toContain('do-not-show');
  expect(secret.reveal()).toBe('sk-do-not-show');
});

test('keeps bytes as secret as text', () => {
  const secret = new Secret(Buffer.from('sk-do-not-show'));
  for (const text of [inspect(secret), JSON.stringify({ secret }), String(secret)]) expect(text).toContain('[secret]');
});
