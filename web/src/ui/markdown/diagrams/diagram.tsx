import { truncate } from '@roster/contracts/text/truncate';
import { Code2, Download, Expand, Workflow } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { saveBlob, saveText } from '#web/lib/download.ts';
import { toastError } from '#web/lib/toast.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { CodeBlock, CodeFrame } from '#web/ui/markdown/code/code-block.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { useDiagramColors } from './colors.ts';
import { DiagramDialog } from './diagram-dialog.tsx';
import type { DiagramColors } from './messages.ts';
import { DiagramError, type DiagramImage, drawDiagram, imageUrl, pngOf } from './renderer.ts';

type Result = { picture: DiagramImage } | { reason: string };

/** Recent results, so that scrolling back in a long thread does not redraw them. */
const recentResults = new Map<string, Result>();
const keyOf = (source: string, colors: DiagramColors) => JSON.stringify([colors, source]);

function remember(key: string, result: Result) {
  recentResults.set(key, result);
  const oldest = recentResults.size > 40 ? recentResults.keys().next().value : undefined;
  if (oldest !== undefined) recentResults.delete(oldest);
}

/** True once an element has been near the viewport. */
function useWasVisible(ref: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (seen || !ref.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '600px' },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [ref, seen]);
  return seen;
}

/** undefined while drawing. The previous result stays until the next is there, for example on a theme change. */
function useDrawn(source: string, colors: DiagramColors, seen: boolean): Result | undefined {
  const key = keyOf(source, colors);
  const [state, setState] = useState<{ source: string; key: string; result: Result }>();
  useEffect(() => {
    if (!seen || recentResults.has(key)) return;
    let isCurrent = true;
    const end = (result: Result, isLasting = true) => {
      if (isLasting) remember(key, result);
      if (isCurrent) setState({ source, key, result });
    };
    drawDiagram(source, colors).then(
      (picture) => end({ picture }),
      (error: unknown) =>
        end(
          { reason: error instanceof Error ? error.message : String(error) },
          error instanceof DiagramError && !error.isTransient,
        ),
    );
    return () => {
      isCurrent = false;
    };
  }, [source, colors, key, seen]);
  return recentResults.get(key) ?? (state?.source === source ? state.result : undefined);
}

/** Mermaid's message without its excerpt of the source, which is shown anyway. */
const reasonOf = (reason: string) =>
  truncate(
    reason
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^[-.]*\^/.test(line.trim()))
      .join('\n'),
    400,
  );

function DownloadMenu({ picture, background }: { picture: DiagramImage; background: string }) {
  const savePng = () => {
    pngOf(picture, background).then(
      (png) => saveBlob('diagram.png', png),
      () =>
        toastError({
          title: 'Failed to create the PNG',
          description: 'The browser refused. Download the SVG instead.',
        }),
    );
  };
  return (
    <Menu trigger={<IconButton label="Download" icon={Download} size="sm" />}>
      <MenuItem onSelect={() => saveText('diagram.svg', picture.svg, 'image/svg+xml')}>SVG</MenuItem>
      <MenuItem onSelect={savePng}>PNG</MenuItem>
    </Menu>
  );
}

function NoDiagram({ source, reason }: { source: string; reason: string }) {
  const said = (
    <p role="note" className="whitespace-pre-wrap border-border border-t px-3.5 py-2 text-muted-foreground text-xs">
      {reasonOf(reason)}
    </p>
  );
  return <CodeBlock text={source} language="mermaid" note="This diagram cannot be drawn." below={said} />;
}

/**
 * A Mermaid diagram as an image, with its source one click away. If it cannot be drawn, the source is shown with the
 * reason.
 */
export function Diagram({ source }: { source: string }) {
  const ref = useRef<HTMLDivElement>(null);
  const colors = useDiagramColors();
  const result = useDrawn(source, colors, useWasVisible(ref));
  const [showsSource, setShowsSource] = useState(false);
  const [isLarge, setIsLarge] = useState(false);
  if (result && 'reason' in result) return <NoDiagram source={source} reason={result.reason} />;
  const picture = result?.picture;
  const name = `Diagram: ${truncate(source, 500)}`;
  return (
    <CodeFrame
      label="Diagram"
      actions={
        <>
          <IconButton
            label={showsSource ? 'Show diagram' : 'Show source'}
            icon={showsSource ? Workflow : Code2}
            size="sm"
            onClick={() => setShowsSource(!showsSource)}
          />
          <CopyButton text={source} label="Copy source" />
          {picture && (
            <>
              <DownloadMenu picture={picture} background={colors.background} />
              <IconButton label="Full screen" icon={Expand} size="sm" onClick={() => setIsLarge(true)} />
            </>
          )}
        </>
      }
    >
      {showsSource ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
        <pre tabIndex={0} className="overflow-x-auto px-4 py-3 font-mono text-sm">
          {source}
        </pre>
      ) : (
        <div ref={ref} className="overflow-x-auto p-3">
          {picture ? (
            <img
              src={imageUrl(picture)}
              width={picture.width}
              height={picture.height}
              alt={name}
              className="mx-auto h-auto max-h-[80vh] w-auto max-w-full"
            />
          ) : (
            <Skeleton className="h-56" />
          )}
        </div>
      )}
      {picture && isLarge && <DiagramDialog picture={picture} name={name} onClose={() => setIsLarge(false)} />}
    </CodeFrame>
  );
}
