/** Roster's logo: lines of a list. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-primary-fill" />
      <g className="fill-primary-foreground">
        <rect x="8" y="8.5" width="16" height="3" rx="1.5" />
        <rect x="8" y="14.5" width="11" height="3" rx="1.5" opacity=".75" />
        <rect x="8" y="20.5" width="13.5" height="3" rx="1.5" opacity=".5" />
      </g>
    </svg>
  );
}
