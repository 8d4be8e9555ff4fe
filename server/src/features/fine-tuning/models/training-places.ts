import { type AbilityCheck, AbilityCheck as Check } from '@roster/contracts/connections/connections';
import type { TrainingPlace } from '@roster/contracts/fine-tuning/jobs';
import type { ConnectionModels } from '@roster/contracts/models/models';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { type ConnectionRow, connectionRepository } from '#server/provider/connections/connection-repository';
import { presetOf } from '#server/provider/connections/presets';

const checkOf = ({ checks }: ConnectionRow): AbilityCheck | undefined =>
  z
    .array(Check)
    .parse(JSON.parse(checks))
    .find(({ ability }) => ability === 'fineTuning');

/** A check says more than the preset. */
function toPlace(row: ConnectionRow): TrainingPlace {
  const { id, name, preset } = row;
  const check = checkOf(row);
  if (row.is_paused === 1) return { id, name, serves: false, reason: 'The connection is paused.' };
  if (check?.result === 'works') return { id, name, serves: true, reason: null };
  if (check?.result === 'fails') return { id, name, serves: false, reason: check.reason };
  if (presetOf(preset).serves.includes('fineTuning')) return { id, name, serves: true, reason: null };
  const reason =
    preset === 'other'
      ? 'It is not known whether its provider serves fine-tuning. Check the connection in Settings > API Keys.'
      : `${presetOf(preset).name} does not serve fine-tuning in OpenAI’s form.`;
  return { id, name, serves: false, reason };
}

/** A person's connections, and whether models can be trained there. */
export function trainingPlaces(db: Kysely<Database>, atConnections: (userId: number) => Promise<ConnectionModels[]>) {
  const list = async (userId: number): Promise<TrainingPlace[]> =>
    (await connectionRepository(db).listOwn(userId)).map(toPlace);

  return {
    list,
    async lists(userId: number): Promise<ConnectionModels[]> {
      const serving = new Set((await list(userId)).filter(({ serves }) => serves).map(({ id }) => id));
      return serving.size === 0 ? [] : (await atConnections(userId)).filter(({ id }) => serving.has(id));
    },
  };
}

export type TrainingPlaces = ReturnType<typeof trainingPlaces>;
