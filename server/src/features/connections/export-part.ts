import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import { toConnection } from './to-connection.ts';

export const connectionExportPart = ({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['connections.json               the connections to providers, without their keys'],
  async *entries(userId) {
    const rows = await connectionRepository(reader).listOwn(userId);
    const connections = rows.map(toConnection).map(({ id: _, ...connection }) => connection);
    yield { name: 'connections.json', content: [`${JSON.stringify({ connections }, null, 2)}\n`] };
  },
});
