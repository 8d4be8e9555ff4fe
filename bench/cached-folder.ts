import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from './processes.ts';
import { get, post, signIn, startRoster, temporaryFolder } from './roster.ts';

/** A writable copy of a data folder that is filled once and cached while schema and `sources` are unchanged. */
export async function cachedFolder(name: string, sources: string[], fill: (folder: string) => Promise<void>) {
  const kept = join(cacheFolder, `${name}-${stamp(sources)}`);
  if (!existsSync(kept)) {
    const fresh = temporaryFolder();
    await fill(fresh);
    mkdirSync(cacheFolder, { recursive: true });
    for (const old of readdirSync(cacheFolder))
      if (old.startsWith(`${name}-`)) rmSync(join(cacheFolder, old), { recursive: true });
    const half = `${kept}.part`;
    cpSync(fresh, half, { recursive: true });
    renameSync(half, kept);
  }
  const folder = temporaryFolder();
  cpSync(kept, folder, { recursive: true });
  return folder;
}

function stamp(sources: string[]): string {
  const hash = createHash('sha256');
  const migrations = join(root, 'server/src/db/migrations');
  for (const name of readdirSync(migrations).sort()) hash.update(readFileSync(join(migrations, name)));
  for (const name of sources) hash.update(readFileSync(join(root, 'bench', name)));
  return hash.digest('hex').slice(0, 16);
}

/** Creates a data folder with its first account and a stored provider key. Returns the account's id. */
export async function registered(folder: string, providerPort: number, email: string, key: string): Promise<number> {
  const { port, program } = await startRoster(folder, providerPort);
  const headers = await signIn(port, '/api/register', email);
  await post(port, '/api/settings/apikey', headers, { apiKey: key });
  const { id } = await get<{ id: number }>(port, '/api/user', headers);
  await program.stop();
  return id;
}
