import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './processes.ts';

/** JavaScript of a first visit, gzipped, against its budget: the check of the web workspace does the counting. */
export async function measureFirstLoad(): Promise<{ faults: string[] }> {
  if (!existsSync(join(root, 'web/dist/.vite/manifest.json'))) {
    console.log('\nFirst load: not measured, the browser application is not built.');
    return { faults: [] };
  }
  console.log('\nJavaScript of a first visit, gzipped\n');
  spawnSync(process.execPath, [join(root, 'web/check-size.ts')], { stdio: 'inherit' });
  return { faults: [] };
}
