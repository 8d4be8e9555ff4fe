import type { ComponentType } from 'react';

/** An icon component, such as any of lucide-react; the part that shows it sets its size. */
export type Icon = ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean | 'true' | 'false' }>;
