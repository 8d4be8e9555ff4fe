import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { threadQuery } from '#web/features/chat/shared/thread-queries.ts';
import { saveText } from '#web/lib/download.ts';
import { slugFileName } from '#web/lib/text/file-name.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { HighlightedCode } from '#web/ui/markdown/code/code-block.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { isGroup, type JsonTree, parseJsonTree } from './json-tree.ts';
import { prettyJson } from './pretty-json.ts';
import { RawAnswer, type StructuredAnswerProps } from './raw-answer.tsx';
import { ShowMore } from './show-more.tsx';
import { TreeView } from './tree-view.tsx';
import { useValidation, ValidationNotice } from './validation-notice.tsx';

/** Characters rendered at once; more would block the page. */
const atOnce = 100_000;

/** The answer as indented JSON. */
function JsonLines({ text }: { text: string }) {
  const pretty = useMemo(() => prettyJson(text), [text]);
  const [end, setEnd] = useState(atOnce);
  return (
    <>
      <pre
        dir="ltr"
        className="wrap-anywhere whitespace-pre-wrap px-4 py-3 font-mono text-sm [font-variant-ligatures:none]"
      >
        <code>
          <HighlightedCode text={pretty.slice(0, end)} language="json" />
        </code>
      </pre>
      <ShowMore left={pretty.length - end} what="characters" onMore={() => setEnd(end + atOnce)} />
    </>
  );
}

/** An answer with a response schema: raw while it is written, a tree at its end. */
export function StructuredAnswer(props: StructuredAnswerProps) {
  const { text, isWhole } = props;
  const tree = useMemo(() => (isWhole ? parseJsonTree(text) : null), [text, isWhole]);
  if (tree) return <Whole {...props} tree={tree} />;
  return (
    <>
      <RawAnswer {...props} />
      {isWhole && text.trim() !== '' && (
        <Notice tone="warning" className="mt-2">
          The answer does not match its schema: it is not valid JSON.
        </Notice>
      )}
    </>
  );
}

function Whole({ tree, ...props }: StructuredAnswerProps & { tree: JsonTree }) {
  const { text, threadId, runId } = props;
  const check = useValidation({ text, threadId, runId });
  const problems = check.data?.state === 'checked' ? check.data.problems : undefined;
  const byPlace = useMemo(() => {
    const found = new Map<string, string>();
    for (const { at, message } of problems ?? []) found.set(at, [found.get(at) ?? [], message].flat().join(', '));
    return found;
  }, [problems]);
  return (
    <>
      <ValidationNotice check={check} />
      {isGroup(tree.root) ? <Views tree={tree} threadId={threadId} problems={byPlace} /> : <RawAnswer {...props} />}
    </>
  );
}

type View = 'tree' | 'json';
const views = [
  { value: 'tree', label: 'Tree' },
  { value: 'json', label: 'JSON' },
] as const;

type ViewsProps = { tree: JsonTree; threadId: number; problems: ReadonlyMap<string, string> };

function Views({ tree, threadId, problems }: ViewsProps) {
  const client = useQueryClient();
  const [view, setView] = useState<View>('tree');
  const nameOf = (...parts: string[]) => {
    const title = client.getQueryData(threadQuery(threadId).queryKey)?.title ?? '';
    return slugFileName([title, ...parts].join(' '), 'answer');
  };
  const saveJson = () => saveText(`${nameOf()}.json`, `${prettyJson(tree.text)}\n`, 'application/json');
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are no form fields.
    <div role="group" aria-label="Structured answer" data-unfolds className="relative">
      <Tabs label="How the answer is shown" look="segment" value={view} onValueChange={setView} items={views}>
        <div className="mt-2 overflow-hidden rounded-md border border-border bg-card">
          {view === 'tree' ? (
            <TreeView tree={tree} problems={problems} nameOf={nameOf} />
          ) : (
            <JsonLines text={tree.text} />
          )}
        </div>
      </Tabs>
      <div className="absolute end-0 top-1.5 flex gap-1 max-md:top-0">
        <CopyButton text={() => prettyJson(tree.text)} label="Copy JSON" className="max-md:size-10" />
        <IconButton label="Download JSON" icon={Download} size="sm" onClick={saveJson} className="max-md:size-10" />
      </div>
    </div>
  );
}
