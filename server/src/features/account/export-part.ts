import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { usageRepository } from '#server/features/usage/repository';
import { deviceLabel } from '#server/http/user-agent';
import { securityEventRepository } from '#server/security/events-repository';
import { exportRepository } from './export-repository.ts';
import { preferencesRepository } from './preferences-repository.ts';
import { toSecurityEvent } from './security-events.ts';

const rowsAtOnce = 500;

const json = (value: unknown) => [`${JSON.stringify(value, undefined, 2)}\n`];

/** The account itself in an account export. Uses the read connection. */
export function accountPart({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const account = exportRepository(reader);
  const events = securityEventRepository(reader);
  const usage = usageRepository(reader);

  async function* securityEvents(userId: number) {
    yield '[';
    let separator = '\n';
    let before: number | undefined;
    for (;;) {
      const rows = await events.listOf(userId, rowsAtOnce, before);
      for (const row of rows) {
        const { id: _, ...event } = toSecurityEvent(row);
        yield `${separator}${JSON.stringify(event)}`;
        separator = ',\n';
      }
      before = rows.at(-1)?.id;
      if (before === undefined) break;
    }
    yield '\n]\n';
  }

  async function* usageLines(userId: number) {
    let after: Parameters<typeof usage.page>[1];
    for (;;) {
      const { records, last } = await usage.page(userId, after, rowsAtOnce);
      for (const record of records) yield `${JSON.stringify(record)}\n`;
      if (!last) return;
      after = last;
    }
  }

  return {
    description: [
      'account.json                   the account and the ways to sign in to it',
      'preferences.json               display and notification preferences',
      'sessions.json                  where the account is signed in',
      'security-events.json           what happened to the security of the account, the newest first',
      'usage.jsonl                    the tokens and the cost of each call to the provider',
    ],
    async *entries(userId) {
      yield { name: 'account.json', content: json(await account.account(userId)) };
      yield { name: 'preferences.json', content: json(await preferencesRepository(reader).find(userId)) };
      const sessions = await account.sessions(userId);
      const described = sessions.map((session) => ({ device: deviceLabel(session.userAgent), ...session }));
      yield { name: 'sessions.json', content: json(described) };
      yield { name: 'security-events.json', content: securityEvents(userId) };
      yield { name: 'usage.jsonl', content: usageLines(userId) };
    },
  };
}
