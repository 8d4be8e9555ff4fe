import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs packages that only the benchmark needs outside the project, on first use. Returns whether `entry` then
 * exists.
 */
export function installExtraPackages(
  folder: string,
  dependencies: Record<string, string>,
  overrides: Record<string, string>,
  entry: string,
): boolean {
  if (existsSync(entry)) return true;
  console.log(`Installing ${Object.entries(dependencies).flat().join(' ')} for the benchmark (once) …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  const cli = process.env.npm_execpath;
  const [command, first] = cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []];
  const options = ['--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
  spawnSync(command, [...first, 'install', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 120_000,
  });
  if (existsSync(entry)) return true;
  rmSync(folder, { recursive: true, force: true });
  return false;
}
