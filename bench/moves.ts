import { startPostgres } from '../server/src/testing/postgres.ts';
import { median, ms, printTable } from './figures.ts';
import { endedAlso } from './processes.ts';
import { post, signIn, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';

const count = 1_000;
/** The provider is never called. */
const noProvider = 9;
const [fromModel, toModel] = ['gpt-4o', 'gpt-6.1-terra'];

type Engine = { name: string; env: Record<string, string> };
type MoveTimes = { moved: number[]; undone: number[]; faults: string[] };

/** Migrates all assistants of one user and back, once per run. */
async function measured({ name, env }: Engine): Promise<MoveTimes> {
  const { port, program } = await startRoster(temporaryFolder(), noProvider, { env });
  const headers = await signIn(port, '/api/register', 'moves@example.com');
  const draft = { model: fromModel, instructions: 'Long. '.repeat(200) };
  const names = Array.from({ length: count }, (_, index) => `Assistant ${index}`);
  const createNext = async (): Promise<void> => {
    const next = names.pop();
    if (next === undefined) return;
    await post(port, '/api/assistants', headers, { ...draft, name: next });
    return createNext();
  };
  await Promise.all(Array.from({ length: 6 }, createNext));
  const result: MoveTimes = { moved: [], undone: [], faults: [] };
  const timed = async <Done>(path: string, body: object, taken: number[]): Promise<Done> => {
    const from = performance.now();
    const done = await post<Done>(port, path, headers, body);
    taken.push(performance.now() - from);
    return done;
  };
  for (let run = 0; run < settings.runs; run++) {
    const move = { fromModel, toModel };
    const { id, moved } = await timed<{ id: number; moved: number }>('/api/assistants/move', move, result.moved);
    const { undone } = await timed<{ undone: number }>(`/api/assistants/move/${id}/undo`, {}, result.undone);
    if (moved !== count || undone !== count)
      result.faults.push(`${name}: ${moved} of ${count} assistants were moved, and ${undone} moved back`);
  }
  await program.stop();
  return result;
}

/** Measures migrating a thousand assistants to another model in one transaction, each with its version, and back. */
export async function measureMigrations(): Promise<{ faults: string[] }> {
  const postgres = await startPostgres();
  endedAlso.add(postgres.stop);
  try {
    const engines: Engine[] = [
      { name: 'SQLite', env: {} },
      { name: 'PostgreSQL', env: { DATABASE_URL: postgres.url } },
    ];
    const rows: string[][] = [];
    const faults: string[] = [];
    for (const engine of engines) {
      const { moved, undone, faults: wrong } = await measured(engine);
      rows.push([engine.name, ms(median(moved)), ms(Math.max(...moved)), ms(median(undone)), ms(Math.max(...undone))]);
      faults.push(...wrong);
    }
    printTable(
      `${count} assistants moved at once, and moved back`,
      ['', 'move, p50', 'slowest', 'undo, p50', 'slowest'],
      rows,
    );
    return { faults };
  } finally {
    await postgres.stop();
    endedAlso.delete(postgres.stop);
  }
}
