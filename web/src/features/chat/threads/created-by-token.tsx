import { Badge } from '#web/ui/badge.tsx';

/** Name of the access token that created a conversation; nothing for the user's own. */
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
