import { Download, FileText, FileX } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import type { Preview } from '#web/lib/file-preview.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { SidePanel } from '#web/ui/dialogs/side-panel.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

type PreviewPanelProps = {
  filename: string;
  /** Text below the name: size and date. */
  description: string;
  /** Download URL. */
  address: string;
  query: {
    data: Preview | undefined;
    isError: boolean;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
  onClose: () => void;
};

/** Preview of a file; executes nothing in it. */
export function PreviewPanel({ filename, description, address, query, onClose }: PreviewPanelProps) {
  const isGone = query.error instanceof ApiError && query.error.status === 404;
  return (
    <SidePanel
      onOpenChange={onClose}
      title={filename}
      description={description}
      footer={
        !isGone && (
          <a href={address} download={filename} className={buttonClass()}>
            <Download aria-hidden className="size-4" />
            Download
          </a>
        )
      }
    >
      {isGone ? (
        <div role="alert">
          <EmptyState icon={FileX} title="This file was deleted" text="It can no longer be shown or downloaded." />
        </div>
      ) : query.isError ? (
        <ErrorState
          title="Failed to load the preview"
          message={errorText(query.error, 'An error occurred while loading this file.')}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <Shown preview={query.data} filename={filename} />
      ) : (
        <div aria-busy="true" className="grid gap-2.5">
          {['w-4/5', 'w-full', 'w-3/5', 'w-11/12', 'w-2/5'].map((width) => (
            <Skeleton key={width} className={`h-4 ${width}`} />
          ))}
        </div>
      )}
    </SidePanel>
  );
}

function Shown({ preview, filename }: { preview: Preview; filename: string }) {
  switch (preview.kind) {
    case 'image':
      return <Picture image={preview.image} name={filename} />;
    case 'text':
      return (
        <>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className="wrap-anywhere whitespace-pre-wrap rounded-md border border-border bg-background p-3.5 font-mono text-sm"
          >
            {preview.text}
          </pre>
          {!preview.isWhole && <Cut>Only the first 64 KB are shown.</Cut>}
        </>
      );
    case 'table':
      return (
        <>
          <Records rows={preview.rows} label={`Beginning of ${filename}`} />
          {!preview.isWhole && <Cut>Only the beginning is shown (up to 100 rows, 20 columns and 64 KB).</Cut>}
        </>
      );
    case 'pdf':
      return <NotShown title="PDF document" text="Download the file to read it." />;
    case 'none':
      return <NotShown title="No preview" text="This file type has no preview. Download the file to open it." />;
  }
}

const Cut = ({ children }: { children: string }) => <p className="mt-3 text-muted-foreground text-sm">{children}</p>;

function NotShown({ title, text }: { title: string; text: string }) {
  return <EmptyState icon={FileText} title={title} text={text} />;
}

function Picture({ image, name }: { image: Blob; name: string }) {
  const [address, setAddress] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(image);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  if (isBroken) return <NotShown title="No preview" text="This image is damaged or its format is unknown." />;
  return (
    address && (
      <img
        src={address}
        alt={name}
        onError={() => setBroken(true)}
        className="mx-auto max-h-[70dvh] max-w-full rounded-md border border-border"
      />
    )
  );
}

function Records({ rows: [head = [], ...rows], label }: { rows: string[][]; label: string }) {
  const cell = 'max-w-60 truncate border-border border-b px-3 py-1.5 text-start';
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="scroll-hint overflow-x-auto rounded-md border border-border"
    >
      <table className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr>
            {head.map((text, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have nothing else that is unique
              <th key={column} scope="col" title={text} className={`${cell} font-medium`}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: neither have rows
            <tr key={index} className="group/row">
              {head.map((_, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor cells
                <td key={column} title={row[column]} className={`${cell} group-last/row:border-b-0`}>
                  {row[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
