import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';

type LegalPageProps = { title: string; lead: string; children: ReactNode };

/** Public, so outside the shell. */
export function LegalPage({ title, lead, children }: LegalPageProps) {
  return (
    <div className="mx-auto min-h-dvh max-w-3xl px-5 pb-20 sm:px-8">
      <title>{`${title} · Roster`}</title>
      <header className="flex h-16 items-center justify-between">
        <span className="flex items-center gap-2.5 font-semibold text-lg tracking-[-0.012em]">
          <Logo className="size-6" />
          Roster
        </span>
        <Link to="/" className={buttonClass({ size: 'sm' })}>
          <ArrowLeft aria-hidden className="size-4" />
          Back to Home
        </Link>
      </header>
      <main className="max-w-[72ch] pt-10 text-lg">
        <h1 className="font-semibold text-2xl tracking-[-0.02em]">{title}</h1>
        <p className="mt-2 text-base text-muted-foreground">
          Last updated <time dateTime="2025-05-17">May 17, 2025</time>
        </p>
        <p className="mt-6">{lead}</p>
        {children}
      </main>
    </div>
  );
}

export function LegalSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-8 [&_a]:text-primary-text [&_a]:underline [&_li]:mt-1.5 [&_p]:mt-2 [&_ul]:mt-2 [&_ul]:list-disc [&_ul]:ps-5 [&_ul]:marker:text-muted-foreground">
      <h2 className="font-semibold">{title}</h2>
      <div className="text-muted-foreground">{children}</div>
    </section>
  );
}

/** Link to where the rights are exercised. */
export function AccountLink() {
  return <Link to="/settings">Settings, Account</Link>;
}
