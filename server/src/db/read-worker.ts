import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReaderRequest, ReaderResponse } from './read-connection.ts';
import { searchWords } from './search-words.ts';
import { bindable, statementCache } from './statements.ts';

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');
const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 5_000 });
// Temporary results stay in memory.
database.exec('pragma temp_store = memory');
database.function('search_words', { deterministic: true }, (text) => searchWords(String(text)));
const prepare = statementCache(database);

port.on('message', ({ id, sql, parameters }: ReaderRequest) => {
  let answer: ReaderResponse;
  try {
    // SQLite's rows have no prototype, which structured cloning rejects.
    answer = {
      id,
      rows: prepare(sql)
        .statement.all(...bindable(parameters))
        .map((row) => ({ ...row })),
    };
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(answer);
});
