import { useNavigate } from '@tanstack/react-router';
import { Archive, ArrowLeft, Bot, ListFilter, Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import { hideFilterRow, useSearchFilters } from '#web/features/chat/search/search-filters.ts';
import type { ThreadView } from '#web/features/chat/shared/queries.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';

type ViewButtonsProps = { view: ThreadView; onChange: (view: ThreadView) => void };

/** Buttons beside the heading that select the view. */
export function ViewButtons({ view, onChange }: ViewButtonsProps) {
  const { isOpen, toggle } = useSearchFilters();
  // Each search replaces the list; these buttons end with the page.
  useEffect(() => hideFilterRow, []);
  const button = (of: 'programs' | 'archived', icon: Icon, label: string) => (
    <IconButton
      label={view === of ? 'Back to recent conversations' : label}
      icon={view === of ? ArrowLeft : icon}
      size="sm"
      aria-pressed={view === of}
      onClick={() => onChange(view === of ? 'recent' : of)}
      className="max-md:size-10"
    />
  );
  return (
    <>
      <IconButton
        label={isOpen ? 'Remove the filters' : 'Filter conversations'}
        icon={ListFilter}
        size="sm"
        aria-pressed={isOpen}
        onClick={toggle}
        className="max-md:size-10"
      />
      {button('programs', Bot, 'Show conversations by programs')}
      {button('archived', Archive, 'Show archived conversations')}
      <TrashButton />
    </>
  );
}

function TrashButton() {
  const navigate = useNavigate();
  return (
    <IconButton
      label="Open the trash"
      icon={Trash2}
      size="sm"
      onClick={() => void navigate({ to: '/trash' })}
      className="max-md:size-10"
    />
  );
}
