import type { ReactNode } from 'react';
import { useUser } from '#web/data/current-user.ts';
import { formatLongDate } from '#web/lib/format.ts';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';

export function AccountTab() {
  const user = useUser();
  return (
    <Card className="max-w-3xl">
      <CardHeader title="Account Information" />
      <dl className="divide-y divide-border px-5 py-2">
        <Row label="Email">{user.email}</Row>
        {user.name && <Row label="Name">{user.name}</Row>}
        <Row label="Role">{user.role}</Row>
        <Row label="Account created">
          {user.createdAt ? <time dateTime={user.createdAt}>{formatLongDate(user.createdAt)}</time> : 'Unknown'}
        </Row>
      </dl>
      <CardFooter>Changing your password or your ways to sign in is not part of this version of Roster yet.</CardFooter>
    </Card>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-0.5 py-3">
      <dt className="w-40 text-muted-foreground max-sm:w-full">{label}</dt>
      <dd className="min-w-0 flex-1 break-words">{children}</dd>
    </div>
  );
}
