import { setTimeout as wait } from 'node:timers/promises';
import type { Person } from './person.ts';

const pauseMs = 400;

/** An assistant, and the changes acknowledged to its owner, in order. */
export type ChangedAssistant = { person: Person; id: number; saved: string[] };

export async function beginChanging(person: Person): Promise<ChangedAssistant> {
  const instructions = 'Change 0';
  const { id } = await person.post<{ id: number }>('/api/assistants', { name: 'Tutor', model: 'gpt-4o', instructions });
  return { person, id, saved: [instructions] };
}

export async function change({ person, id, saved }: ChangedAssistant, until: AbortSignal) {
  while (!until.aborted) {
    const instructions = `Change ${saved.length}`;
    await person.post(`/api/assistants/${id}`, { instructions }, 'PATCH');
    saved.push(instructions);
    await wait(pauseMs);
  }
}
