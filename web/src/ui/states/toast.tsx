import { type ComponentType, useEffect, useState } from 'react';
import { useToasts } from '#web/lib/toast.ts';

export { toast } from '#web/lib/toast.ts';

const aheadMs = 1_500;
const againMs = 3_000;

/** Once in the application. Its code comes after the first page is there, or with the first toast. */
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
        // The server is not there at the moment: what a toast has to say waits for it.
        () => {
          if (!isOver) timer = setTimeout(load, againMs);
        },
      );
    // Ahead of time, because a toast may have to say that the network is gone.
    timer = setTimeout(load, isNeeded ? 0 : aheadMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isNeeded, Viewport]);
  return Viewport ? <Viewport /> : null;
}
