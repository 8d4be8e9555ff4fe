import { Maximize, X, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { ModalLayer } from '#web/ui/dialogs/modal-layer.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { type DiagramImage, imageUrl } from './renderer.ts';

const [smallest, largest] = [0.1, 8];
const inBounds = (zoom: number) => Math.min(largest, Math.max(smallest, zoom));

type DiagramDialogProps = { picture: DiagramImage; name: string; onClose: () => void };

/** A diagram over the whole page. Keys: + and - zoom, 0 fits it. */
export function DiagramDialog({ picture, name, onClose }: DiagramDialogProps) {
  const room = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const fit = () => {
    if (!room.current) return;
    const { clientWidth, clientHeight } = room.current;
    setZoom(inBounds(Math.min((clientWidth - 48) / picture.width, (clientHeight - 48) / picture.height, 2)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened
  useEffect(fit, []);
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') setZoom(inBounds(zoom * 1.25));
    else if (event.key === '-') setZoom(inBounds(zoom / 1.25));
    else if (event.key === '0') fit();
  };
  return (
    <ModalLayer label="Diagram" onOpenChange={onClose} className="flex flex-col bg-card">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it */}
      <div className="flex h-full min-h-0 flex-col bg-card" onKeyDown={keyDown}>
        <header className="flex items-center gap-1 border-border border-b px-3 py-2">
          <h2 className="me-auto truncate font-medium">Diagram</h2>
          <IconButton label="Zoom out" icon={ZoomOut} onClick={() => setZoom(inBounds(zoom / 1.25))} />
          <span aria-live="polite" className="w-12 text-center text-muted-foreground text-sm tabular-nums">
            {Math.round(zoom * 100)}%
          </span>
          <IconButton label="Zoom in" icon={ZoomIn} onClick={() => setZoom(inBounds(zoom * 1.25))} />
          <IconButton label="Fit" icon={Maximize} onClick={fit} />
          <IconButton label="Close" icon={X} onClick={onClose} />
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div ref={room} tabIndex={0} className="flex min-h-0 flex-1 overflow-auto p-6">
          <img
            src={imageUrl(picture)}
            width={Math.round(picture.width * zoom)}
            height={Math.round(picture.height * zoom)}
            alt={name}
            className="m-auto max-w-none shrink-0"
          />
        </div>
      </div>
    </ModalLayer>
  );
}
