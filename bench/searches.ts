import { findThreads } from '../server/src/features/chat/search/threads-repository.ts';
import type { ThreadFilters } from '../server/src/features/chat/shared/thread-filter-repository.ts';
import { threadRepository } from '../server/src/features/chat/shared/thread-repository.ts';
import type { Floor } from './captured-queries.ts';
import { commonWord, otherCommonWord, rareWord } from './prose.ts';
import type { Question } from './questions.ts';
import { model } from './targets.ts';

type Search = { what: string; q?: string; filters?: ThreadFilters };

/** A tenth of the time that the messages are from. */
const days = { from: '2026-06-01T00:00:00.000Z', to: '2026-07-01T00:00:00.000Z' };

const searches: Search[] = [
  { what: 'a word in 1 of 5,000 messages', q: rareWord },
  { what: 'a word in 1 of 3 messages', q: commonWord },
  { what: 'one letter, in every message', q: 'b' },
  { what: 'rare word, common one excluded', q: `${rareWord} -${commonWord}` },
  { what: 'common word, rare one excluded', q: `${commonWord} -${rareWord}` },
  { what: 'common word, common one excluded', q: `${commonWord} -${otherCommonWord}` },
  { what: 'rare word excluded, nothing else', q: `-${rareWord}` },
  { what: 'common word excluded, nothing else', q: `-${commonWord}` },
  { what: 'two common words in quotes', q: `"${commonWord} ${otherCommonWord}"` },
  { what: 'two rare words in quotes', q: `"${rareWord} ${rareWord}"` },
  { what: 'word in the title of 1 of 50', q: `title:${otherCommonWord}` },
  { what: 'common word, in 30 days', q: commonWord, filters: days },
  { what: 'common word, by model', q: commonWord, filters: { model } },
  { what: 'common word, rated, none is', q: commonWord, filters: { rating: 'good' } },
  { what: 'rare word excluded, in 30 days', q: `-${rareWord}`, filters: days },
  { what: 'no word, in 30 days', filters: days },
  { what: 'no word, with files, none has', filters: { files: true } },
  { what: 'no word, rated, none is', filters: { rating: 'good' } },
];

/** Searches with and without exclusions, quotes and filters. */
export async function searchQuestions(userId: number, limit: number, { queriesOf }: Floor): Promise<Question[]> {
  const questions: Question[] = [];
  for (const { what, q, filters = {} } of searches) {
    const asked = Object.entries(filters).map(([name, value]) => [name, String(value)]);
    const path = `/api/threads?${new URLSearchParams([...(q === undefined ? [] : [['q', q]]), ...asked, ['limit', String(limit)]])}`;
    const queries = await queriesOf(async (db) => {
      const page = { limit, after: undefined, filters };
      if (q === undefined) await threadRepository(db).list(userId, { archived: false, programs: undefined, ...page });
      else await findThreads(db, userId, q, { archived: undefined, programs: undefined, ...page });
    });
    questions.push({ what: `search, ${what}`, path: q === undefined ? `${path}&archived=false` : path, queries });
  }
  return questions;
}
