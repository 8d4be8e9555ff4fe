import type { Row, Table } from './dump-repository.ts';

/**
 * Leaves out temporary conversations with all that is in them. What they have cost stays, as after their deletion.
 * Tables must be read in their order: after those they refer to.
 */
export function withoutTemporaryThreads(): (table: Table, rows: AsyncIterable<Row>) => AsyncGenerator<Row> {
  const threads = new Set<Row[string] | undefined>();
  const messages = new Set<Row[string] | undefined>();
  const runs = new Set<Row[string] | undefined>();
  const queued = new Set<Row[string] | undefined>();
  const leftOut: Partial<Record<Table, Set<Row[string] | undefined>>> = {
    threads,
    messages,
    runs,
    queued_messages: queued,
  };

  function isOfOne(table: Table, row: Row): boolean {
    if (table === 'threads') return row.purpose === 'temporary';
    if (table === 'usage_records' || threads.size === 0) return false;
    if (table === 'file_uses') {
      const users = row.used_by === 'message' ? messages : row.used_by === 'queued_message' ? queued : undefined;
      return users?.has(row.used_by_id) ?? false;
    }
    return threads.has(row.thread_id) || messages.has(row.message_id) || runs.has(row.run_id);
  }

  return async function* (table, rows) {
    for await (const row of rows)
      if (!isOfOne(table, row)) yield row;
      else leftOut[table]?.add(row.id);
  };
}
