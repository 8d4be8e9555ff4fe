import { composerAt, useComposer } from '#web/features/chat/shared/composer-state.ts';

/** Starters: pressing one sends it. Hidden while something else is being written. */
export function Starters({ place, starters }: { place: string; starters: readonly string[] }) {
  const { text } = useComposer(place);
  if (starters.length === 0 || text !== '') return null;
  return (
    <ul aria-label="Conversation starters" className="mt-6 flex max-w-xl flex-wrap justify-center gap-2">
      {[...new Set(starters)].map((starter) => (
        <li key={starter} className="min-w-0">
          <button
            type="button"
            dir="auto"
            onClick={() => composerAt(place).set({ text: starter, wanted: true })}
            className="min-h-10 rounded-lg border border-border bg-card px-3.5 py-2 text-start text-sm transition-colors duration-120 [overflow-wrap:anywhere] hover:border-border-strong hover:bg-hover"
          >
            {starter}
          </button>
        </li>
      ))}
    </ul>
  );
}
