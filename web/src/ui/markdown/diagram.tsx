import { beginningOf } from '@roster/contracts/cut';
import { parseMermaid, renderMermaidSVG } from 'beautiful-mermaid';
import { Code2, Workflow } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { CodeBlock, CodeFrame } from './code-block.tsx';

/** Laying out runs on the page's own thread, and its time explodes with dense graphs; beyond this the source is shown. */
const limits = { characters: 8000, lines: 150, nodes: 90, edges: 120, joins: 24 };

function isDrawable(source: string): boolean {
  const joins = source.split('&').length - 1;
  const lines = source.split('\n').length;
  if (source.length > limits.characters || lines > limits.lines || joins > limits.joins) return false;
  if (!/^\s*(?:graph|flowchart|stateDiagram)/m.test(source)) return true;
  const { nodes, edges } = parseMermaid(source);
  return nodes.size <= limits.nodes && edges.length <= limits.edges;
}

/** The theme's colours as they stand now, a person's own ones included. */
function themeColours() {
  const root = getComputedStyle(document.documentElement);
  const colour = (name: string) => root.getPropertyValue(name).trim();
  return {
    bg: colour('--card'),
    fg: colour('--foreground'),
    line: colour('--faint-foreground'),
    accent: colour('--primary-text'),
    muted: colour('--muted-foreground'),
    surface: colour('--muted'),
    border: colour('--border-strong'),
  };
}

/** Counts up when the theme or a custom colour changes. */
function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setVersion((current) => current + 1));
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'style'] });
    return () => observer.disconnect();
  }, []);
  return version;
}

type Picture = { address: string; width: number; height: number };

function draw(source: string): Picture | null {
  try {
    if (!isDrawable(source)) return null;
    const svg = renderMermaidSVG(source, { ...themeColours(), font: 'system-ui', padding: 16, transparent: true })
      // An image loads nothing from outside anyway; the request should not even be written down.
      .replace(/@import url\([^)]*\);?/g, '')
      // A picture knows none of the page's fonts.
      .replace(/font-family: 'system-ui'[^;]*;/g, "font-family: 'Helvetica Neue', Arial, sans-serif;");
    const [, width = '0', height = '0'] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
    // A data: address rather than a blob: opened on its own, it has no origin and so no way into Roster.
    const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    return { address, width: Number(width), height: Number(height) };
  } catch {
    return null;
  }
}

/** A Mermaid diagram as a picture, with its source a click away; what cannot be drawn stays source. */
export function Diagram({ source }: { source: string }) {
  const version = useThemeVersion();
  const [showsSource, setShowsSource] = useState(false);
  // The version stands for the colours, which are read from the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const picture = useMemo(() => draw(source), [source, version]);
  if (!picture) return <CodeBlock text={source} language="mermaid" note="This diagram cannot be drawn here." />;
  return (
    <CodeFrame
      label="Diagram"
      actions={
        <>
          <Button
            size="sm"
            variant="ghost"
            icon={showsSource ? Workflow : Code2}
            onClick={() => setShowsSource(!showsSource)}
          >
            {showsSource ? 'Show diagram' : 'Show source'}
          </Button>
          <CopyButton text={source} label="Copy source" />
        </>
      }
    >
      {showsSource ? (
        <pre className="overflow-x-auto px-4 py-3 font-mono text-sm">{source}</pre>
      ) : (
        <div className="overflow-x-auto p-2">
          <img
            src={picture.address}
            width={picture.width}
            height={picture.height}
            alt={`Diagram: ${beginningOf(source, 500)}`}
            className="mx-auto h-auto max-w-none sm:max-w-full"
          />
        </div>
      )}
    </CodeFrame>
  );
}
