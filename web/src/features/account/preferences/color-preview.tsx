import { useEffect, useRef } from 'react';
import { type Colors, derivePalette } from '#web/lib/theme/colors.ts';
import { applyPalette } from '#web/lib/theme/theme.ts';
import { Badge } from '#web/ui/badge.tsx';

/** A preview of Roster in the colors being chosen. */
export function ColorPreview({ colors }: { colors: Colors }) {
  const panel = useRef<HTMLDivElement>(null);
  const key = Object.values(colors).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the colors.
  useEffect(() => {
    if (panel.current) applyPalette(panel.current, derivePalette(colors));
  }, [key]);
  return (
    <section aria-label="Live preview" className="flex flex-col">
      <p aria-hidden="true" className="mb-1.5 font-medium">
        Live preview
      </p>
      <div
        ref={panel}
        className="custom-colors flex flex-1 flex-col justify-center gap-4 rounded-lg border border-border bg-background p-5 text-foreground"
      >
        <p className="font-semibold text-lg">Text on the background</p>
        <div className="rounded-md border border-border bg-card p-4">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            Text on a card <Badge tone="accent">Default</Badge>
          </p>
          <p className="mt-1 text-muted-foreground text-sm">
            Quieter text, and <span className="text-primary-text underline underline-offset-2">a link</span>.
          </p>
          <div className="mt-4 flex flex-wrap gap-2 font-medium text-sm">
            <span className="inline-flex h-8 items-center rounded-md bg-primary-fill px-2.5 text-primary-foreground">
              Primary
            </span>
            <span className="inline-flex h-8 items-center rounded-md bg-accent px-2.5 text-accent-foreground">
              Accent
            </span>
          </div>
        </div>
      </div>
    </section>
  );
}
