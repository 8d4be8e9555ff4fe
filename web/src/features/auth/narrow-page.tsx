import type { ReactNode } from 'react';
import { Logo } from '#web/ui/logo.tsx';

type NarrowPageProps = {
  /** Title of the browser tab. */
  title: string;
  heading: string;
  lead?: ReactNode;
  children?: ReactNode;
};

/** Layout of small pages around signing in; like the login page, outside the shell. */
export function NarrowPage({ title, heading, lead, children }: NarrowPageProps) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col px-5 pt-12 pb-8 sm:pt-[14dvh]">
      <title>{`${title} · Roster`}</title>
      <Logo className="mb-5 size-9" />
      <h1 className="font-semibold text-xl tracking-[-0.012em]">{heading}</h1>
      {lead && <p className="wrap-anywhere mt-2 text-muted-foreground">{lead}</p>}
      {children}
    </main>
  );
}
