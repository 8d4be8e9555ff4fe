const roles = 'server/src/http/tests/roles.test.ts';
const privacy = 'server/src/features/users/privacy.test.ts';
const added = 'PATCH /api/access-tokens/:id';

const code = [
  {
    file: 'contracts/src/api-tokens.ts',
    before: '  revoke: endpoint({',
    text: `  rename: endpoint({
      method: 'PATCH',
      path: '/api/access-tokens/:id',
      access: 'user',
      summary: 'Renames an access token.',
      params: z.strictObject({ id: PathId }),
      body: z.strictObject({ name: NewAccessToken.shape.name }),
      output: NoContent,
      status: 204,
    }),
  `,
  },
  {
    file: 'server/src/features/api-tokens/routes.ts',
    before: '  route(api.revoke',
    text: '  route(api.rename, ({ actor, params, body }) => tokens.rename(actor, params.id, body.name));\n',
  },
  {
    file: 'server/src/features/api-tokens/service.ts',
    before: '    revoke: (actor',
    text: `    async rename({ userId, recheckAccess }: Actor, id: number, name: string) {
        const isRenamed = await db.transaction().execute(async (trx) => {
          await recheckAccess(trx);
          return accessTokenRepository(trx).rename(userId, id, name);
        });
        if (!isRenamed) throw new AppError('not_found', 'This access token does not exist or has been revoked.');
      },

  `,
  },
  {
    file: 'server/src/security/access-token-repository.ts',
    before: "    /** Returns the token's name; undefined",
    text: `    /** Returns false if there is no such unrevoked token. */
      async rename(userId: number, id: number, name: string): Promise<boolean> {
        const renamed = await db
          .updateTable('access_tokens')
          .set({ name })
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .where('token_hash', 'is not', null)
          .executeTakeFirst();
        return renamed.numUpdatedRows > 0n;
      },
  `,
  },
  {
    file: 'web/src/features/api-tokens/queries.ts',
    before: 'export function useRevokeToken',
    text: `export function useRenameToken() {
    const refetch = useRefetch(accessTokensQuery.queryKey);
    return useMutation({
      mutationFn: ({ id, name }: { id: number; name: string }) =>
        call(apiTokens.rename, { params: { id }, body: { name } }),
      onSettled: refetch,
    });
  }

  `,
  },
];

/** Adds a call that renames an access token. Two tests demand its rows. */
export const call = {
  name: 'call',
  most: 8,
  code,
  demandingTests: [roles, privacy].map((file) => file.replace('server/', '')),
  last: [
    { file: roles, before: "  'DELETE /api/access-tokens/:id'", text: `  '${added}': signedIn,\n` },
    {
      file: privacy,
      before: "  'DELETE /api/access-tokens/:id'",
      text: `  '${added}': ({ tokenId }) => ({ path: \`/api/access-tokens/\${tokenId}\`, body: { name: 'Taken' } }),\n`,
    },
  ],
};
