import { type ComponentType, useEffect, useState } from 'react';
import { useToasts } from '#web/lib/toast.ts';

export { toast } from '#web/lib/toast.ts';

const aheadMs = 1_500;
const againMs = 3_000;

/** Mount once. Its chunk loads after the first page, or with the first toast. */
export function Toaster() {
  const isNeeded = useToasts().length > 0;
  const [Viewport, setViewport] = useState<ComponentType>();
  useEffect(() => {
    if (Viewport) return;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const load = () =>
      void import('./toast-viewport.tsx').then(
        (part) => setViewport(() => part.ToastViewport),
        // The server is unreachable; retry, and show the toast then.
        () => {
          if (!isOver) timer = setTimeout(load, againMs);
        },
      );
    // Preloaded, because a toast may have to report that the network is gone.
    timer = setTimeout(load, isNeeded ? 0 : aheadMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isNeeded, Viewport]);
  return Viewport ? <Viewport /> : null;
}
