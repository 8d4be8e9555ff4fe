import type { ComponentType, ReactNode } from 'react';

type MethodRowProps = {
  icon: ComponentType<{ className?: string | undefined }>;
  name: string;
  status: ReactNode;
  action?: ReactNode;
};

/** A login method. */
export function MethodRow({ icon: IconPart, name, status, action }: MethodRowProps) {
  return (
    <li className="flex min-h-16 items-center gap-4 py-3">
      <IconPart className="size-4 shrink-0 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{name}</p>
        <div className="text-muted-foreground text-sm [overflow-wrap:anywhere]">{status}</div>
      </div>
      {action}
    </li>
  );
}
