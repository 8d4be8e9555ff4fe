import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { signInRepository } from './oauth/sign-in-repository.ts';
import { descriptionRepository } from './openapi/repository.ts';
import { toolServerRepository } from './shared/repository.ts';
import { toolSelectionRepository } from './shared/tool-selection-repository.ts';

const descriptionFile = (id: number) => `tool-server-descriptions/${id}.txt`;

/** Servers without the values of their headers, the names of their tools, and which assistants use them. */
export function toolServerExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  async function content(userId: number) {
    const servers = toolServerRepository(reader);
    const names = Map.groupBy(await servers.toolNames(userId), ({ server_id }) => server_id);
    const pasted = new Set(await descriptionRepository(reader).pasted(userId));
    const choices = await descriptionRepository(reader).choices(userId);
    const own = (await servers.ofOwner(userId)).map((server) => ({
      name: server.name,
      kind: server.kind,
      url: server.url,
      ...(server.kind === 'openapi' && {
        openApi: { descriptionUrl: server.description_url, baseUrl: server.base_url },
      }),
      auth: { type: server.auth_type, name: server.auth_name, last4: server.auth_last4 },
      isOffered: server.is_offered === 1,
      isOn: server.is_on === 1,
      lookedAt: server.looked_at,
      createdAt: server.created_at,
      ...(pasted.has(server.id) && { description: descriptionFile(server.id) }),
      ...(choices.has(server.id) && { chosenOperations: choices.get(server.id) }),
      tools: (names.get(server.id) ?? []).map(({ name, title }) => ({ name, title })),
    }));
    const uses = await toolSelectionRepository(reader).ofOwner(userId);
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
      'tool-server-descriptions/      the OpenAPI descriptions that were pasted for them',
    ],
    async *entries(userId) {
      yield { name: 'tool-servers.json', content: [await content(userId)] };
      const descriptions = descriptionRepository(reader);
      for (const id of await descriptions.pasted(userId))
        yield { name: descriptionFile(id), content: [(await descriptions.text(userId, id)) ?? ''] };
    },
  };
}
