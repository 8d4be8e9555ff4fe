import { lazy, Suspense, useEffect, useState } from 'react';
import { useToasts } from '#web/lib/toast.ts';

export { toast } from '#web/lib/toast.ts';

const loadViewport = () => import('./toast-viewport.tsx').then((part) => ({ default: part.ToastViewport }));
const ToastViewport = lazy(loadViewport);

/** Once in the application. Its code comes after the first page is there, or with the first toast. */
export function Toaster() {
  const isNeeded = useToasts().length > 0;
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    // Ahead of time, because a toast may have to say that the network is gone.
    const timer = setTimeout(() => setIdle(true), 1500);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense fallback={null}>{(isNeeded || isIdle) && <ToastViewport />}</Suspense>;
}
