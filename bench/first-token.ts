import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { percentile } from './figures.ts';
import { type Person, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';
import { messageFor, type Target } from './targets.ts';

export type FirstTokens = { p50: number; p95: number; accepted: number };

/** One stream after the other on an idle machine: each on a new connection, or all on one. */
export async function firstTokens(target: Target, people: Person[], kept: boolean): Promise<FirstTokens> {
  const shared = new Agent({ keepAlive: true });
  const firsts: number[] = [];
  const accepted: number[] = [];
  for (let sample = 0; sample < settings.samples; sample++) {
    const person = people[sample % people.length];
    if (!person) throw new Error('Nobody to ask');
    const agent = kept ? shared : new Agent({ keepAlive: true });
    const heard = await target.stream(person, messageFor(2, 0), 2, agent);
    if (!kept) agent.destroy();
    firsts.push(heard.firstToken);
    accepted.push(heard.accepted);
  }
  shared.destroy();
  return { p50: percentile(firsts, 50), p95: percentile(firsts, 95), accepted: percentile(accepted, 50) };
}

/** The time to store a message on this disk: one SQLite commit as Roster makes it, and nothing else. */
export function commits(): { p50: number; p95: number } {
  const database = new DatabaseSync(join(temporaryFolder(), 'commits.db'));
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table words (id integer primary key, text)',
  );
  const insert = database.prepare('insert into words (text) values (?)');
  const taken: number[] = [];
  for (let sample = 0; sample < settings.samples; sample++) {
    const from = performance.now();
    insert.run('A question of about this length, as people ask them.');
    taken.push(performance.now() - from);
  }
  database.close();
  return { p50: percentile(taken, 50), p95: percentile(taken, 95) };
}
