import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Input } from './input.tsx';

const settleAfter = 250;

type SearchFieldProps = {
  text: string;
  onSearch: (text: string) => void;
  label: string;
  placeholder: string;
  maxLength: number;
  className?: string;
};

/** Debounces the text, so that not every key sends a request. */
function useDebouncedSearch(text: string, onSearch: (text: string) => void) {
  const [typed, setTyped] = useState(text);
  const asked = useRef(text);
  // Changed from outside: Back in the browser, or the button in the empty list.
  useEffect(() => {
    if (text === asked.current) return;
    asked.current = text;
    setTyped(text);
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked follows what is typed, and nothing else.
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === asked.current) return;
    const timer = setTimeout(
      () => {
        asked.current = wanted;
        onSearch(wanted);
      },
      wanted === '' ? 0 : settleAfter,
    );
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped] as const;
}

export function SearchField({ text, onSearch, label, placeholder, maxLength, className }: SearchFieldProps) {
  const [typed, setTyped] = useDebouncedSearch(text, onSearch);
  const field = useRef<HTMLInputElement>(null);
  return (
    <search className={classNames('relative block', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 inset-s-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || typed === '') return;
          event.preventDefault();
          setTyped('');
        }}
        ref={field}
        className="pe-9 ps-9 max-md:pe-11 [&::-webkit-search-cancel-button]:hidden"
      />
      {typed !== '' && (
        <IconButton
          label="Clear search"
          icon={X}
          size="sm"
          onClick={() => {
            setTyped('');
            field.current?.focus();
          }}
          className="absolute top-1/2 inset-e-1 -translate-y-1/2 max-md:inset-e-0 max-md:size-10"
        />
      )}
    </search>
  );
}
