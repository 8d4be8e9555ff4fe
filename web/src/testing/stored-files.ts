import type { File } from '@roster/contracts/files';
import { givenDay } from './new-account.ts';

export const storedFile = (id: number, filename: string, more: Partial<File> = {}): File => ({
  id,
  filename,
  type: 'text/plain',
  size: 2_048,
  date: givenDay,
  createdAt: givenDay,
  purpose: 'assistants',
  usedBy: 0,
  provider: { state: 'ready', error: null },
  ...more,
});
