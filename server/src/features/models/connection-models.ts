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

/** `ids`: those that its provider lists; null: unknown, any id is accepted. */
type ListedConnection = { name: string; isPaused: boolean; ids: ReadonlySet<string> | null };

const isActive = ({ is_paused }: ConnectionRow) => is_paused === 0;

const listedConnection = (row: ConnectionRow, list: ProviderModel[] | string): ListedConnection => ({
  ...{ name: row.name, isPaused: !isActive(row) },
  ids: typeof list === 'string' ? null : new Set(list.map(({ id }) => id)),
});

const removed = 'The connection of this model was removed';
const notListed = (model: string, name: string) => `Model ${model} is not among those of ${name}`;

/** Why the model of a connection cannot be chosen now; null: nothing is known against it. */
export function connectionProblem(model: string, connection: ListedConnection | undefined): string | null {
  if (!connection) return removed;
  if (connection.isPaused) return `The connection ${connection.name} is paused. Resume it, or choose another model`;
  return connection.ids?.has(model) === false ? notListed(model, connection.name) : null;
}

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

    /** By connection, of these connections. A paused one is not asked. */
    ids: async (
      userId: number,
      wanted: ReadonlySet<number | null>,
      withinMs: number,
    ): Promise<Map<number, ListedConnection>> =>
      new Map(
        await Promise.all(
          (await connections.listUsable(userId))
            .filter(({ id }) => wanted.has(id))
            .map(async (row): Promise<[number, ListedConnection]> => {
              const list = isActive(row) ? await read(userId, row, withinMs) : '';
              return [row.id, listedConnection(row, list)];
            }),
        ),
      ),

    /** Why a model is known to be unusable; null: nothing is known against it. Does not ask the provider. */
    async problemOf(userId: number, reference: string): Promise<string | null> {
      const { connectionId, model } = parseModelReference(reference);
      if (connectionId === null) return null;
      const row = await connections.findUsable(userId, connectionId);
      if (!row) return removed;
      const list = await lists.freshList({ userId, connectionId });
      return !list || list.some(({ id }) => id === model) ? null : notListed(model, row.name);
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
