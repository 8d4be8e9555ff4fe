// npm run bench: Roster against its floors, all measured in the same run. Names of parts as arguments run only those.
import { cpus, loadavg, release, totalmem } from 'node:os';
import { measureAnalytics } from './analytics.ts';
import { measureApiRelay } from './api-relay.ts';
import { measureBeginnings } from './beginnings.ts';
import { measureCluster } from './cluster.ts';
import { measureCompression } from './compression.ts';
import { measureConnections } from './connections.ts';
import { measureExchanges } from './exchanges.ts';
import { measureFirstLoad } from './first-load.ts';
import { measureImports, measureKilledImports } from './imports.ts';
import { measureLighthouse } from './lighthouse.ts';
import { measureLists } from './lists.ts';
import { measureLongTasks } from './long-tasks.ts';
import { measureMigrations } from './moves.ts';
import { endAll, endedAlso } from './processes.ts';
import { printProfile } from './profile.ts';
import { measureRelay } from './relay.ts';
import { settings } from './settings.ts';
import { measureSignIns } from './sign-ins.ts';
import { measureStart } from './start.ts';
import { measureTools } from './tools.ts';
import { measureUpload } from './upload.ts';
import { measureValidation } from './validation.ts';

type Part = { name: string; measure: () => Promise<{ faults: string[] }> };

const parts: Part[] = [
  { name: 'relay', measure: measureRelay },
  { name: 'api-relay', measure: measureApiRelay },
  { name: 'connections', measure: measureConnections },
  { name: 'beginnings', measure: measureBeginnings },
  { name: 'exchanges', measure: measureExchanges },
  { name: 'tools', measure: measureTools },
  { name: 'lists', measure: measureLists },
  { name: 'cluster', measure: measureCluster },
  { name: 'analytics', measure: measureAnalytics },
  { name: 'moves', measure: measureMigrations },
  { name: 'imports', measure: measureImports },
  { name: 'imports-killed', measure: measureKilledImports },
  { name: 'sign-ins', measure: measureSignIns },
  { name: 'upload', measure: measureUpload },
  { name: 'validation', measure: measureValidation },
  { name: 'compression', measure: measureCompression },
  { name: 'start', measure: measureStart },
  { name: 'first-load', measure: measureFirstLoad },
  { name: 'lighthouse', measure: measureLighthouse },
  { name: 'long-tasks', measure: measureLongTasks },
];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    endAll();
    void Promise.allSettled([...endedAlso].map((end) => end())).then(() => process.exit(130));
  });

const only = process.argv.slice(2);
const unknown = only.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts: ${parts.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const [cpu] = cpus();
console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`);
console.log(`${(totalmem() / 1024 ** 3).toFixed(0)} GB, ${process.platform} ${release()}, Node ${process.version}`);
console.log(`Load before: ${loadavg()[0]?.toFixed(2)}. ${settings.runs} runs, ${settings.seconds} s a stream.`);

const started = performance.now();
const faults: string[] = [];
for (const { name, measure } of parts)
  if (only.length === 0 || only.includes(name)) faults.push(...(await measure()).faults);
if (settings.profile) printProfile();

console.log(`\nMeasured in ${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const fault of faults) console.error(`Wrong: ${fault}`);
if (faults.length === 0) console.log('Nothing was wrong: no token lost, doubled or out of order, no budget passed.');
process.exit(faults.length === 0 ? 0 : 1);
