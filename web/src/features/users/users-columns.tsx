import type { Role } from '@roster/contracts/auth';
import type { ManagedUser, UserSort } from '@roster/contracts/users';
import { useUser } from '#web/api/current-user.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import type { Column } from '#web/ui/table.tsx';

const roleTones: Record<Role, BadgeTone> = { Admin: 'accent', Editor: 'primary', Viewer: 'neutral' };

export const userColumns: readonly Column<ManagedUser, UserSort>[] = [
  { id: 'name', header: 'Name', sort: 'name', cell: (user) => <Name user={user} />, isTitle: true },
  { id: 'email', header: 'Email', sort: 'email', cell: ({ email }) => <span title={email}>{email}</span> },
  {
    id: 'role',
    header: 'Role',
    sort: 'role',
    width: 'w-28',
    cell: ({ role }) => <Badge tone={roleTones[role]}>{role}</Badge>,
  },
  {
    id: 'status',
    header: 'Status',
    sort: 'status',
    width: 'w-28',
    cell: ({ status }) => <Badge tone={status === 'Active' ? 'success' : 'neutral'}>{status}</Badge>,
  },
  {
    id: 'secondFactor',
    header: 'Second Factor',
    width: 'w-32',
    cell: ({ secondFactor }) =>
      secondFactor ? <Badge tone="success">On</Badge> : <span className="text-muted-foreground">None</span>,
  },
  {
    id: 'lastActive',
    header: 'Last Active',
    sort: 'lastActive',
    firstOrder: 'desc',
    width: 'w-40',
    cell: ({ lastActive }) =>
      lastActive ? <RelativeTime date={lastActive} /> : <span className="text-muted-foreground">Never signed in</span>,
  },
];

function Name({ user }: { user: ManagedUser }) {
  const isMe = useUser().id === user.id;
  return (
    <>
      <span title={user.name ?? undefined} className={user.name ? undefined : 'text-muted-foreground'}>
        {user.name ?? 'No name'}
      </span>
      {isMe && <span className="text-muted-foreground"> (you)</span>}
    </>
  );
}
