// Prints the server functions with the most CPU time of their own, from the newest profile of BENCH_PROFILE=1.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from './processes.ts';

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

const shown = 25;

export function printProfile() {
  const folder = join(cacheFolder, 'profile');
  const newest = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined;
  if (!newest) return;
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(join(folder, newest), 'utf8'));
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const own = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? '?';
    own.set(name, (own.get(name) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  own.delete('(idle)');
  const total = [...own.values()].reduce((sum, ms) => sum + ms, 0);
  console.log(`\nProcessor time of the server by function (${total.toFixed(0)} ms in all, ${join(folder, newest)})\n`);
  for (const [name, ms] of [...own].sort(([, a], [, b]) => b - a).slice(0, shown))
    console.log(`${((100 * ms) / total).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${name}`);
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const where = url.replace(`file://${root}/`, '').replace('node_modules/', '');
  return `${functionName || '(anonymous)'}${where && ` ${where}:${lineNumber + 1}`}`;
}
