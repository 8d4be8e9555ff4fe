import { Link } from '@tanstack/react-router';
import { buttonClass } from '#web/ui/button.tsx';

const inWords = ['two', 'three', 'four'];

type AskThreeLinkProps = {
  /** Models to ask; with fewer than two, the link starts an ordinary conversation. */
  models: readonly string[];
};

/** Leads to a new conversation that asks several models at once. */
export function AskThreeLink({ models }: AskThreeLinkProps) {
  const count = inWords[models.length - 2];
  return (
    <Link
      to="/chat"
      search={{ new: true, ...(count !== undefined && { models: [...models] }) }}
      className={buttonClass({ variant: 'primary', size: 'sm' })}
    >
      {count === undefined ? 'Start a chat' : `Ask ${count} models at once`}
    </Link>
  );
}
