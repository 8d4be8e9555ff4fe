import type { ComponentType } from 'react';

/** An icon component, such as those of lucide-react; sized where it is used. */
export type Icon = ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean | 'true' | 'false' }>;
