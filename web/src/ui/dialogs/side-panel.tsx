import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';
import { ModalLayer } from './modal-layer.tsx';

type SidePanelProps = {
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
};

/** Details beside a visible list; full width on small screens. */
export function SidePanel({ onOpenChange, title, description, children, footer }: SidePanelProps) {
  const titleId = useId();
  return (
    <ModalLayer onOpenChange={onOpenChange} labelledBy={titleId} className="flex justify-end">
      <div className="flex h-full w-full max-w-lg animate-slide-start flex-col bg-popover shadow-float">
        <header className="flex items-start gap-4 border-border border-b px-5 py-4">
          <div className="min-w-0 flex-1">
            <h2 id={titleId} className="wrap-anywhere font-semibold text-lg">
              {title}
            </h2>
            {description && <p className="mt-0.5 text-muted-foreground">{description}</p>}
          </div>
          <IconButton
            label="Close"
            icon={X}
            size="sm"
            onClick={() => onOpenChange(false)}
            className="max-md:-my-1.5 max-md:-me-3 max-md:size-10"
          />
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div data-layer-body tabIndex={0} className="-outline-offset-2 min-h-0 flex-1 overflow-y-auto px-5 py-5">
          {children}
        </div>
        {footer && (
          <footer data-layer-footer className="flex items-center justify-end gap-2 border-border border-t px-5 py-4">
            {footer}
          </footer>
        )}
      </div>
    </ModalLayer>
  );
}
