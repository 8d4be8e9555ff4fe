import { CircleAlert, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { useRef } from 'react';
import { dismissToast, toastDuration, useToasts } from '#web/lib/toast.ts';
import { classNames } from '#web/ui/class-names.ts';
import { useToastEdge } from './use-toast-edge.ts';

/**
 * Toasts appear at the bottom, above what a page reserves with `--toasts-bottom`, clear of the buttons of an open layer,
 * or at the top if they would cover a result. F8 focuses them, a swipe to the near edge dismisses.
 */
export function ToastViewport() {
  const toasts = useToasts();
  const list = useRef<HTMLOListElement>(null);
  const edge = useToastEdge(list, toasts[0]?.id);
  return (
    // Radix misses that focus has left when the last toast disappears, and would then never dismiss later ones; a new
    // provider resets that.
    <Toast.Provider
      key={toasts.length > 0 ? 'some' : 'none'}
      swipeDirection={document.dir === 'rtl' ? 'left' : 'right'}
      swipeThreshold={50}
      duration={toastDuration}
    >
      {toasts.toReversed().map((one) => (
        <ShownToast key={one.id} toast={one} />
      ))}
      <Toast.Viewport
        ref={list}
        hotkey={['F8']}
        data-edge={edge}
        className={classNames(
          'pointer-events-none fixed inset-e-0 bottom-(--toasts-bottom,0px) z-80 m-0 flex max-h-dvh w-full list-none flex-col-reverse gap-2 p-4 outline-none sm:w-96',
          'not-in-[body:has(>dialog)]:data-[edge=top]:top-0 not-in-[body:has(>dialog)]:data-[edge=top]:bottom-auto',
          // Buttons of dialogs and side panels are at the bottom and right.
          'in-[body:has(>dialog)]:bottom-0 sm:in-[body:has(>dialog)]:inset-e-auto sm:in-[body:has(>dialog)]:inset-s-0',
          'max-sm:in-[body:has(>dialog)]:top-0 max-sm:in-[body:has(>dialog)]:bottom-auto max-sm:in-[body:has(>dialog)]:flex-col',
        )}
      />
    </Toast.Provider>
  );
}

function ShownToast({ toast }: { toast: ReturnType<typeof useToasts>[number] }) {
  const { id, title, description, isProblem, action, duration = toastDuration } = toast;
  return (
    <Toast.Root
      duration={duration}
      onOpenChange={(open) => {
        if (!open) dismissToast(id);
      }}
      className={classNames(
        'pointer-events-auto relative flex animate-rise gap-3 rounded-md bg-popover py-3 pe-10 ps-4 shadow-float',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
        isProblem && 'border-destructive border-s-2',
      )}
    >
      {isProblem && (
        <span className="flex h-5 items-center">
          <CircleAlert aria-hidden className="size-4 text-destructive-text" />
        </span>
      )}
      <div className="min-w-0 flex-1">
        {/* Uses the page's direction: these are our sentences, even if one starts with a name in another script. */}
        <Toast.Title className="font-medium">{title}</Toast.Title>
        {description && (
          <Toast.Description className="mt-0.5 text-muted-foreground text-sm">{description}</Toast.Description>
        )}
        {action && (
          <Toast.Action
            altText={action.label}
            onClick={action.onSelect}
            className="mt-1 rounded-xs font-medium text-primary-text text-sm underline-offset-4 hover:underline"
          >
            {action.label}
          </Toast.Action>
        )}
      </div>
      <Toast.Close
        aria-label="Dismiss"
        className="absolute top-2 inset-e-2 flex size-7 items-center justify-center rounded-sm text-muted-foreground hover:bg-hover hover:text-foreground"
      >
        <X aria-hidden className="size-4" />
      </Toast.Close>
    </Toast.Root>
  );
}
