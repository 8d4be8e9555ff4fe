import { Badge } from '#web/ui/badge.tsx';

/** The access token of the program that began a conversation; nothing for one’s own. */
export function CreatedByToken({ name, className }: { name: string | null; className: string }) {
  if (name === null) return null;
  return (
    <Badge className={className}>
      <span className="truncate">
        by <bdi>{name}</bdi>
      </span>
    </Badge>
  );
}
