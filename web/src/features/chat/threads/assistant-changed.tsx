import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import type { MessageWindow } from '#web/features/chat/shared/message-window.ts';
import { readStored, writeStored } from '#web/lib/storage/storage.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';

type AssistantChangedProps = { assistantId: number; messages: MessageWindow };

const keyOf = (assistantId: number) => `seen-version:${assistantId}`;

/** The version that wrote the last answer, if that is loaded and by this assistant. */
function lastVersion({ items, newerCursor }: MessageWindow, assistantId: number): number | undefined {
  if (newerCursor !== null) return undefined;
  const last = items.findLast(({ role }) => role === 'assistant')?.answeredBy;
  return last?.assistantId === assistantId ? last.version : undefined;
}

/** Says that the next answer uses a newer version of the assistant, until dismissed for that version. */
export function AssistantChanged({ assistantId, messages }: AssistantChangedProps) {
  const assistant = useQuery(assistantsQuery).data?.find(({ id }) => id === assistantId);
  const [seen, setSeen] = useState(() => Number(readStored(keyOf(assistantId))));
  const last = lastVersion(messages, assistantId);
  if (!assistant || last === undefined || last >= assistant.version || seen >= assistant.version) return null;
  const dismiss = () => {
    writeStored(keyOf(assistantId), String(assistant.version));
    setSeen(assistant.version);
  };
  return (
    <div className="px-4 max-md:px-3">
      <div className="mx-auto mb-2 flex max-w-[760px] flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-border bg-card px-3 py-1.5 text-sm">
        <output className="wrap-anywhere min-w-0 flex-1 basis-52 text-muted-foreground">
          <bdi className="text-foreground">{assistant.name}</bdi> has changed since the last answer
        </output>
        <Link
          to="/settings"
          search={{ tab: 'assistants', edit: assistantId, version: last }}
          className={buttonClass({ variant: 'ghost', size: 'sm', className: 'max-md:-ms-2.5' })}
        >
          See what changed
        </Link>
        <IconButton label="Dismiss" icon={X} size="sm" onClick={dismiss} className="ms-auto max-md:size-10" />
      </div>
    </div>
  );
}
