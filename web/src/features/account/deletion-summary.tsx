import { useUser } from '#web/api/current-user.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';

/** Names the account to be closed. */
export function DeletionDescription() {
  const { email } = useUser();
  return (
    <>
      The account <strong className="wrap-anywhere font-medium text-foreground">{email}</strong> is closed permanently.
      This cannot be undone.
    </>
  );
}

/** Says what is deleted with the account, and what Roster cannot delete. */
export function DeletionSummary() {
  const provider = useProviderName();
  return (
    <div>
      <p>This is removed immediately:</p>
      <ul className="mt-1.5 list-disc ps-5 marker:text-muted-foreground">
        <li>your assistants, your conversations and your files</li>
        <li>the record of your usage and costs, with your budgets and prices</li>
        <li>your preferences and your saved API key</li>
        <li>your sign-in on every device, and your security activity</li>
      </ul>
      <p className="mt-3 text-muted-foreground">
        Your API key stays valid at {provider} until you revoke it there. Earlier backups still contain your data until
        the operator deletes them.
      </p>
    </div>
  );
}
