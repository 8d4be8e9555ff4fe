import { createContext, type ReactNode, useContext } from 'react';

/** Prefix of the ids of one text's footnotes: other texts on the page may use the same labels. */
export const FootnotesContext = createContext('');

const look =
  'cursor-pointer rounded-xs px-1 py-0.5 text-primary-text leading-none tabular-nums underline-offset-2 hover:underline [overflow-wrap:anywhere]';

function goTo(id: string) {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'center' });
  target?.focus({ preventScroll: true });
}

/** Link to a footnote. */
export function FootnoteMark({ label }: { label: string }) {
  const ids = useContext(FootnotesContext);
  return (
    <sup className="[line-height:0]">
      <button
        type="button"
        id={`${ids}mark-${label}`}
        aria-label={`Footnote ${label}`}
        onClick={() => goTo(`${ids}note-${label}`)}
        className={look}
      >
        {label}
      </button>
    </sup>
  );
}

/** A footnote with a link back to its mark. The first of several has a line above it. */
export function Footnote({ label, children }: { label: string; children: ReactNode }) {
  const ids = useContext(FootnotesContext);
  return (
    <div
      id={`${ids}note-${label}`}
      role="note"
      aria-label={`Footnote ${label}`}
      tabIndex={-1}
      data-footnote
      dir="auto"
      className="flex gap-1.5 rounded-xs py-0.5 text-muted-foreground text-sm leading-5 outline-none focus:bg-active [:not([data-footnote])+&]:mt-4 [:not([data-footnote])+&]:border-border [:not([data-footnote])+&]:border-t [:not([data-footnote])+&]:pt-3"
    >
      <button
        type="button"
        aria-label={`Back to the text of footnote ${label}`}
        onClick={() => goTo(`${ids}mark-${label}`)}
        className={`${look} max-w-32 shrink-0 self-start`}
      >
        {label}
      </button>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
