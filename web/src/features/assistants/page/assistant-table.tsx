import type { Assistant } from '@roster/contracts/assistants/assistants';
import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { AssistantAvatar, someHaveAvatars } from '#web/components/assistant-avatar.tsx';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatLongDate } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import type { UsageById } from './arrange.ts';

const columnsWith = (usage: UsageById, withAvatars: boolean): Column<Assistant>[] => [
  {
    id: 'name',
    header: 'Name',
    isTitle: true,
    cell: (one) => (
      <span className="flex min-w-0 items-center gap-2">
        <AssistantAvatar {...one} always={withAvatars} />
        <Link
          to="/assistants/$id"
          params={{ id: one.id }}
          className="min-w-0 truncate rounded-xs font-medium underline-offset-4 hover:underline"
        >
          <bdi>{one.name}</bdi>
        </Link>
        {one.isDefault && <Badge tone="accent">Default</Badge>}
      </span>
    ),
  },
  {
    id: 'model',
    header: 'Model',
    width: 'w-44',
    cell: ({ model }) => (
      <span className="font-mono text-xs">
        <ModelName model={model} />
      </span>
    ),
  },
  { id: 'tags', header: 'Tags', width: 'w-44', cell: ({ tags }) => tags.join(', ') || '–' },
  {
    id: 'used',
    header: 'Last used',
    width: 'w-36',
    cell: ({ id }) => {
      const day = usage.get(id)?.lastUsedOn;
      return day === undefined ? 'Not yet' : formatLongDate(`${day}T12:00:00Z`);
    },
  },
  {
    id: 'cost',
    header: 'This month',
    width: 'w-28',
    align: 'end',
    cell: ({ id }) => <span className="tabular-nums">{formatCost(usage.get(id)?.costUsd ?? 0)}</span>,
  },
];

type AssistantTableProps = { assistants: readonly Assistant[]; usage: UsageById };

/** Assistants one below the other, for many. */
export function AssistantTable({ assistants, usage }: AssistantTableProps) {
  return (
    <Table
      label="Assistants"
      columns={columnsWith(usage, someHaveAvatars(assistants))}
      rows={assistants}
      rowKey={({ id }) => id}
      actions={({ id, name }) => (
        <Tooltip content="Chat">
          <Link
            to="/chat"
            search={{ assistant: id }}
            aria-label={`Chat with ${name}`}
            className="inline-flex size-8 items-center justify-center rounded-md text-muted-foreground hover:bg-hover hover:text-foreground max-md:size-10"
          >
            <MessageSquare aria-hidden className="size-4" />
          </Link>
        </Tooltip>
      )}
    />
  );
}
