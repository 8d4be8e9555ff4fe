import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { ModalLayer } from './modal-layer.tsx';

export type DialogProps = {
  open: boolean;
  /** undefined: the dialog must be answered, without Escape or a close button. */
  onOpenChange: ((open: boolean) => void) | undefined;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the primary one last. For a form, link them by `form={id}`. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl' | undefined;
  role?: 'dialog' | 'alertdialog' | undefined;
};

const sizes = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-3xl', xl: 'max-w-5xl' };

const stay = () => undefined;

/** A modal dialog. Its content is mounted only while it is open. */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog(props: Omit<DialogProps, 'open'>) {
  const { onOpenChange, title, description, children, footer, size = 'md', role } = props;
  const titleId = useId();
  const descriptionId = useId();
  return (
    <ModalLayer
      onOpenChange={onOpenChange ?? stay}
      role={role}
      labelledBy={titleId}
      describedBy={description ? descriptionId : undefined}
      className="flex items-end justify-center sm:items-center sm:p-6"
    >
      <div
        className={classNames(
          'flex max-h-[92dvh] w-full animate-rise flex-col bg-popover shadow-float max-sm:rounded-t-lg sm:max-h-full sm:rounded-lg',
          sizes[size],
        )}
      >
        {/* The space below the header stays while the content scrolls. */}
        <header className={classNames('flex items-start gap-4 px-5 pt-5', children ? 'pb-3' : '')}>
          <div className="min-w-0 flex-1">
            <h2 id={titleId} className="font-semibold text-lg">
              {title}
            </h2>
            {description && (
              <p id={descriptionId} className="mt-1 text-muted-foreground">
                {description}
              </p>
            )}
          </div>
          {onOpenChange && (
            <IconButton
              label="Close"
              icon={X}
              size="sm"
              onClick={() => onOpenChange(false)}
              className="-mt-0.5 -me-1.5 max-md:-mt-2 max-md:-me-3 max-md:size-10"
            />
          )}
        </header>
        {children && (
          <div data-layer-body className="min-h-0 flex-1 overflow-y-auto px-5 pt-2 pb-5">
            {children}
          </div>
        )}
        {footer && (
          <footer
            data-layer-footer
            className={classNames(
              'flex flex-wrap items-center justify-end gap-2 px-5 pb-5',
              children ? 'border-border border-t pt-4' : 'pt-6',
            )}
          >
            {footer}
          </footer>
        )}
      </div>
    </ModalLayer>
  );
}
