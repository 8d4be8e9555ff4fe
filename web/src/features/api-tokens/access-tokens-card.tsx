import { type AccessToken, accessTokenLimit } from '@roster/contracts/api-tokens';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Terminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { accessTokensQuery } from './queries.ts';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { TokenRow } from './token-row.tsx';

type Shown = { name: string; token: string };

/** Access tokens of the user's API clients. */
export function AccessTokensCard() {
  const query = useQuery(accessTokensQuery);
  const [isCreating, setCreating] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  const [revoking, setRevoking] = useState<AccessToken | null>(null);
  const tokens = query.data ?? [];
  const create = (
    <Button
      icon={Plus}
      onClick={() => setCreating(true)}
      disabledReason={
        tokens.length >= accessTokenLimit
          ? `You can have at most ${accessTokenLimit} access tokens. Revoke one first.`
          : undefined
      }
    >
      New Token
    </Button>
  );
  return (
    <Card>
      <CardHeader
        title="Access Tokens"
        description="Programs that use the OpenAI API call your models and assistants with a token instead of a provider key."
        action={tokens.length > 0 && create}
      />
      <TokenList query={query} create={create} onRevoke={setRevoking} />
      <CardFooter>
        Roster shows each token only once and stores only a hash. Changing your password revokes all tokens.{' '}
        <Link to="/connect" className="rounded-xs text-foreground underline underline-offset-4">
          How to connect a program
        </Link>
      </CardFooter>
      {isCreating && (
        <CreateTokenDialog
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setShown(created);
          }}
        />
      )}
      {shown && <NewTokenDialog {...shown} onClose={() => setShown(null)} />}
      {revoking && <RevokeTokenDialog token={revoking} onClose={() => setRevoking(null)} />}
    </Card>
  );
}

type TokenListProps = {
  query: UseQueryResult<AccessToken[]>;
  /** Shown if there are no tokens. */
  create: ReactNode;
  onRevoke: (token: AccessToken) => void;
};

function TokenList({ query, create, onRevoke }: TokenListProps) {
  const tokens = query.data ?? [];
  return (
    <div className="px-5 py-2">
      {query.isPending && <LoadingRows label="Loading access tokens" />}
      {query.isError && (
        <RetryNotice tone="destructive" live className="my-3" query={query}>
          Failed to load the access tokens: {errorText(query.error)}
        </RetryNotice>
      )}
      {query.isSuccess && tokens.length === 0 && (
        <EmptyState bare icon={Terminal} text="No access tokens yet." action={create} className="py-8" />
      )}
      {tokens.length > 0 && (
        <ul aria-label="Access tokens" className="divide-y divide-border">
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => onRevoke(token)} />
          ))}
        </ul>
      )}
    </div>
  );
}
