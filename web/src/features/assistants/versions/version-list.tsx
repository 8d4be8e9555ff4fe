import type { AssistantVersion, VersionOrigin } from '@roster/contracts/assistants/versions';
import { Badge } from '#web/ui/badge.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { fieldNames } from './field-texts.ts';

/** Describes who or what created a version. */
function originText(origin: VersionOrigin): string {
  switch (origin.kind) {
    case 'person':
      return 'By you';
    case 'program':
      return origin.name === '' ? 'By a program' : `By the program ${origin.name}`;
    case 'import':
      return 'Imported';
    case 'restore':
      return `Version ${origin.number} restored`;
    case 'duplicate':
      return `Copied from ${origin.name}`;
    case 'move':
      return `Moved to ${origin.name}`;
    case 'move_undone':
      return `Migration to ${origin.name} undone`;
    case 'before':
      return 'Before versions were kept';
  }
}

type VersionListProps = {
  versions: AssistantVersion[];
  current: number;
  shown: number | undefined;
  onShow: (number: number) => void;
};

/** Versions with author, change and time. */
export function VersionList({ versions, current, shown, onShow }: VersionListProps) {
  return (
    <ul aria-label="Versions" className="grid gap-1">
      {versions.map((version) => (
        <li key={version.number}>
          <button
            type="button"
            aria-current={version.number === shown}
            onClick={() => onShow(version.number)}
            className={classNames(
              'w-full rounded-md px-3 py-2 text-start transition-colors duration-120 hover:bg-hover',
              version.number === shown && 'bg-muted',
            )}
          >
            <span className="flex items-center gap-2">
              <span className="font-medium tabular-nums">{`Version ${version.number}`}</span>
              {version.number === current && <Badge tone="accent">Current</Badge>}
            </span>
            <span className="block text-muted-foreground text-sm [overflow-wrap:anywhere]">
              <bdi>{originText(version.origin)}</bdi>, <RelativeTime date={version.createdAt} />
            </span>
            {version.changed.length > 0 && (
              <span className="block text-muted-foreground text-sm">
                {version.changed.map((field) => fieldNames[field]).join(', ')}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
