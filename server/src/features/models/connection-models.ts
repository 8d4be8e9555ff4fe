import { modelReference, parseModelReference } from '@roster/contracts/models/model-reference';
import type { ConnectionModels, Model } from '@roster/contracts/models/models';
import type { ConnectionRepository, ConnectionRow } from '#server/provider/connections/connection-repository';
import type { ProviderModel } from '#server/provider/provider';
import { filterChatModels } from '#server/provider/resources/chat-models';
import type { ModelListCache } from './model-list.ts';

type Dependencies = {
  connections: Pick<ConnectionRepository, 'listUsable' | 'findUsable'>;
  lists: ModelListCache;
  describe: (listed: ProviderModel) => Model;
};

/** The ids that a connection's provider lists; null: unknown, any id is accepted. */
type ListedIds = ReadonlySet<string> | null;

const isActive = ({ is_paused }: ConnectionRow) => is_paused === 0;

/** The models of people's connections and of those offered to them, each named with its connection. */
export function connectionModels({ connections, lists, describe }: Dependencies) {
  const active = async (userId: number) => (await connections.listUsable(userId)).filter(isActive);
  const read = (userId: number, { id }: ConnectionRow, withinMs: number) =>
    lists.within({ userId, connectionId: id }, withinMs);

  /** Models that can chat, in the provider's own order. */
  const offered = ({ id }: ConnectionRow, listed: ProviderModel[]): Model[] =>
    filterChatModels(listed, false).map((listedModel) => {
      const named = (model: string) => modelReference({ connectionId: id, model });
      const model = describe(listedModel);
      // A successor elsewhere would be another account's.
      const next = listed.find((other) => other.id === model.successor);
      return { ...model, id: named(model.id), successor: next ? named(next.id) : null };
    });

  async function shown(userId: number, row: ConnectionRow, withinMs: number): Promise<ConnectionModels> {
    const list = await read(userId, row, withinMs);
    const notice = typeof list === 'string' ? list : null;
    const models = typeof list === 'string' ? (lists.last({ userId, connectionId: row.id }) ?? []) : list;
    return { id: row.id, name: row.name, preset: row.preset, models: offered(row, models), notice };
  }

  return {
    /** All lists are read at once; one that fails or takes too long says so. */
    all: async (userId: number, withinMs: number): Promise<ConnectionModels[]> =>
      Promise.all((await active(userId)).map((row) => shown(userId, row, withinMs))),

    /** By connection. */
    ids: async (userId: number, withinMs: number): Promise<Map<number, ListedIds>> =>
      new Map(
        await Promise.all(
          (await active(userId)).map(async (row): Promise<[number, ListedIds]> => {
            const list = await read(userId, row, withinMs);
            return [row.id, typeof list === 'string' ? null : new Set(list.map(({ id }) => id))];
          }),
        ),
      ),

    /** Why a model is known to be unusable; null: nothing is known against it. Does not ask the provider. */
    async problemOf(userId: number, reference: string): Promise<string | null> {
      const { connectionId, model } = parseModelReference(reference);
      if (connectionId === null) return null;
      const row = await connections.findUsable(userId, connectionId);
      if (!row) return 'The connection of this model was removed';
      const list = await lists.freshList({ userId, connectionId });
      return !list || list.some(({ id }) => id === model) ? null : `Model ${model} is not among those of ${row.name}`;
    },

    /** The model that answers people who use connections only; null: there is none. */
    async first(userId: number, withinMs: number): Promise<string | null> {
      for (const row of await active(userId)) {
        const { models } = await shown(userId, row, withinMs);
        const chosen = models.find(({ lifecycle }) => lifecycle === 'current') ?? models[0];
        if (chosen) return chosen.id;
      }
      return null;
    },
  };
}

export type ConnectionModelService = ReturnType<typeof connectionModels>;
