import type { ReactNode } from 'react';

type BrandMarkProps = { className?: string | undefined };

function BrandMark({ className, children }: BrandMarkProps & { children: ReactNode }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" fill="currentColor" className={className ?? 'size-4'}>
      {children}
    </svg>
  );
}

export function GitHubMark(props: BrandMarkProps) {
  return (
    <BrandMark {...props}>
      <path d="M12 1.5a10.5 10.5 0 0 0-3.32 20.46c.53.1.72-.23.72-.5v-1.78c-2.93.64-3.54-1.4-3.54-1.4-.48-1.22-1.17-1.55-1.17-1.55-.95-.65.07-.64.07-.64 1.06.08 1.62 1.09 1.62 1.09.94 1.61 2.46 1.15 3.06.88.1-.68.37-1.15.67-1.41-2.34-.27-4.8-1.17-4.8-5.2 0-1.15.41-2.09 1.09-2.83-.11-.27-.47-1.34.1-2.78 0 0 .89-.29 2.9 1.08a10 10 0 0 1 5.28 0c2.01-1.37 2.9-1.08 2.9-1.08.57 1.44.21 2.51.1 2.78.68.74 1.09 1.68 1.09 2.83 0 4.04-2.47 4.93-4.81 5.19.38.33.71.97.71 1.95v2.88c0 .28.19.61.73.5A10.5 10.5 0 0 0 12 1.5Z" />
    </BrandMark>
  );
}

export function GoogleMark(props: BrandMarkProps) {
  return (
    <BrandMark {...props}>
      <path d="M21.6 12.23c0-.7-.06-1.38-.18-2.03H12v3.84h5.38a4.6 4.6 0 0 1-2 3.02v2.5h3.24c1.89-1.74 2.98-4.31 2.98-7.33Z" />
      <path d="M12 22c2.7 0 4.96-.9 6.62-2.43l-3.24-2.51c-.9.6-2.04.96-3.38.96-2.6 0-4.8-1.76-5.59-4.12H3.07v2.59A10 10 0 0 0 12 22Z" />
      <path d="M6.41 13.9a6 6 0 0 1 0-3.8V7.51H3.07a10 10 0 0 0 0 8.98l3.34-2.59Z" />
      <path d="M12 5.98c1.47 0 2.79.5 3.82 1.5l2.87-2.87A10 10 0 0 0 3.07 7.51l3.34 2.59C7.2 7.74 9.4 5.98 12 5.98Z" />
    </BrandMark>
  );
}
