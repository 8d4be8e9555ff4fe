import type { AssistantVersion } from '@roster/contracts/assistants/versions';
import { Badge } from '#web/ui/badge.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { fieldNames } from './field-texts.ts';
import { originText } from './origin-text.ts';

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
              {version.number === current && <Badge tone="accent">Now</Badge>}
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
