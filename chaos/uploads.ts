import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Person } from './person.ts';

/** The last ones are uploaded in parts. */
const sizes = [1_000, 60_000, 400_000, 6_000_000];
const pauseMs = 1_500;

export type UploadedFile = { id: number; filename: string; hash: string };
export type Uploads = { person: Person; stored: UploadedFile[] };

export const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

export async function uploadAgainAndAgain({ person, stored }: Uploads, until: AbortSignal) {
  for (let number = 0; !until.aborted; number++) {
    const content = randomBytes(sizes[number % sizes.length] ?? 1_000);
    const filename = `${person.name}-${number}.bin`;
    const form = () => {
      const parts = new FormData();
      parts.append('purpose', 'user_data');
      parts.append('file', new Blob([content]), filename);
      return parts;
    };
    const { id } = await person.upload<{ id: number }>('/api/files/upload', form);
    stored.push({ id, filename, hash: hashOf(content) });
    await wait(pauseMs);
  }
}
