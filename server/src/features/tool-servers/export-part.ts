import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/feature';
import { choiceRepository } from './choice-repository.ts';
import { signInRepository } from './oauth/sign-in-repository.ts';
import { toolServerRepository } from './repository.ts';

/** The servers without the values of their headers, the names of their tools, and which assistants use them. */
export function toolServerExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  async function content(userId: number) {
    const servers = toolServerRepository(reader);
    const names = Map.groupBy(await servers.toolNames(userId), ({ server_id }) => server_id);
    const own = (await servers.ofOwner(userId)).map((server) => ({
      name: server.name,
      kind: server.kind,
      url: server.url,
      auth: { type: server.auth_type, name: server.auth_name, last4: server.auth_last4 },
      isOffered: server.is_offered === 1,
      isOn: server.is_on === 1,
      lookedAt: server.looked_at,
      createdAt: server.created_at,
      tools: (names.get(server.id) ?? []).map(({ name, title }) => ({ name, title })),
    }));
    const uses = await choiceRepository(reader).ofOwner(userId);
    const signIns = (await signInRepository(reader).ofOwner(userId)).map((signIn) => ({
      server: signIn.name,
      isSignedIn: signIn.tokens_sealed !== null,
      signedInAt: signIn.signed_in_at,
    }));
    return `${JSON.stringify({ servers: own, uses, signIns }, undefined, 2)}\n`;
  }

  return {
    description: [
      'tool-servers.json              tool servers with their tools, and which assistants use them; not their secrets',
    ],
    async *entries(userId) {
      yield { name: 'tool-servers.json', content: [await content(userId)] };
    },
  };
}
