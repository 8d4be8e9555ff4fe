import type { PromptListItem } from '@roster/contracts/prompts/prompts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { promptMatchesQuery } from '#web/api/prompts.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import { type MenuKeys, OptionMenu } from './option-menu.tsx';

const settleAfterMs = 100;

/** Puts names that begin with the word first; otherwise the order stays. */
function ranked(items: readonly PromptListItem[], word: string): PromptListItem[] {
  const lower = word.normalize('NFKC').toLowerCase();
  const keyOf = ({ name, title }: PromptListItem) => `${name}\n${title}`.normalize('NFKC').toLowerCase();
  const found = items.filter((item) => keyOf(item).includes(lower));
  const isFirst = ({ name }: PromptListItem) => name.startsWith(lower);
  return [...found.filter(isFirst), ...found.filter((item) => !isFirst(item))];
}

type PromptMenuProps = {
  box: HTMLTextAreaElement;
  keys: MenuKeys;
  word: string;
  onTake: (promptId: number) => void;
  onClose: () => void;
};

/** The prompts that match what was typed after a slash. */
export function PromptMenu({ box, keys, word, onTake, onClose }: PromptMenuProps) {
  const settled = useDebouncedText(word, settleAfterMs);
  const query = useQuery(promptMatchesQuery(settled));
  const found = ranked(query.data?.items ?? [], word);
  const isLoading = found.length === 0 && (settled !== word || query.isFetching);
  return (
    <OptionMenu
      box={box}
      keys={keys}
      label="Prompts"
      options={found.map(({ id, name, title }) => ({ id: String(id), promptId: id, label: `/${name}`, detail: title }))}
      onTake={({ promptId }) => onTake(promptId)}
      onClose={onClose}
      isLoading={isLoading}
    >
      <p className="flex flex-wrap items-center gap-x-3 border-border border-t px-3.5 py-2 text-muted-foreground text-sm first:border-0">
        <output className="min-w-0 flex-1">
          {found.length > 0
            ? formatCount(found.length, 'prompt')
            : isLoading
              ? 'Loading prompts…'
              : query.isError
                ? 'The prompts could not be loaded.'
                : word === ''
                  ? 'No prompts yet.'
                  : `No prompt matches “${word}”.`}
        </output>
        <Link to="/prompts" className="rounded-xs py-1 text-foreground underline underline-offset-4">
          Manage prompts
        </Link>
      </p>
    </OptionMenu>
  );
}
