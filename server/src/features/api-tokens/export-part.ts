import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { accessTokenRepository } from '#server/security/access-token-repository';

/** Access tokens in an account export, without the tokens themselves. */
export function apiTokenExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  return {
    description: ['access-tokens.json             what programs use the account with; not the tokens themselves'],
    async *entries(userId) {
      const all = await accessTokenRepository(reader).all(userId);
      yield { name: 'access-tokens.json', content: [`${JSON.stringify(all, undefined, 2)}\n`] };
    },
  };
}
