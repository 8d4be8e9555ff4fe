import type { Row, Table } from './dump-repository.ts';

/**
 * Leaves out temporary conversations with all that is in them. What they have cost stays, as after their deletion.
 * Tables must be read in their order: after those they refer to.
 */
export function withoutTemporaryThreads(): (table: Table, rows: AsyncIterable<Row>) => AsyncGenerator<Row> {
  const threads = new Set<Row[string] | undefined>();
  const messages = new Set<Row[string] | undefined>();
  const runs = new Set<Row[string] | undefined>();

  function isOfOne(table: Table, row: Row): boolean {
    if (table === 'threads') return row.purpose === 'temporary';
    if (table === 'usage_records' || threads.size === 0) return false;
    if (table === 'file_uses') return row.used_by === 'message' && messages.has(row.used_by_id);
    return threads.has(row.thread_id) || messages.has(row.message_id) || runs.has(row.run_id);
  }

  return async function* (table, rows) {
    const left = table === 'threads' ? threads : table === 'messages' ? messages : table === 'runs' ? runs : undefined;
    for await (const row of rows)
      if (!isOfOne(table, row)) yield row;
      else left?.add(row.id);
  };
}
