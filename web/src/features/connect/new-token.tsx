import { apiTokens } from '@roster/contracts/api-tokens';
import { truncate } from '@roster/contracts/text/truncate';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { CardFooter } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

const lifetime = 90;
const nameLimit = 60;

type NewTokenProps = {
  /** The assistant or model that the program is for. */
  name: string;
  /** Created on this page. */
  token: string | undefined;
  onCreated: (token: string) => void;
};

/** Creates an access token for the code on this page. It is shown until the page is left, and never again. */
export function NewToken({ name, token, onCreated }: NewTokenProps) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const body = { name: truncate(`Connect: ${name}`, nameLimit), rights: ['chat' as const] };
      return call(apiTokens.create, { body: { ...body, expiresInDays: lifetime } });
    },
    onSuccess: (created) => onCreated(created.token),
    onError: showFailure('Failed to create the access token', 'Please try again.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['access-tokens'] }),
    // The response contains the token.
    gcTime: 0,
  });
  if (token !== undefined)
    return (
      <div className="px-5 pb-5">
        <Notice
          tone="success"
          live
          title="Your token is in the variables and snippets"
          action={<CopyButton text={token} label="Copy token" showLabel />}
        >
          It is shown only until you leave this page. Anyone with it can use your models and assistants at your cost; it
          expires in {lifetime} days. Revoke it in <TokenSettings />.
        </Notice>
      </div>
    );
  return (
    <CardFooter className="flex flex-wrap items-center gap-x-4 gap-y-3">
      <Button size="sm" variant="primary" icon={KeyRound} busy={isPending} onClick={() => mutate()}>
        {isPending ? 'Creating...' : 'Create token'}
      </Button>
      <span className="min-w-0 flex-1 basis-64">
        Fills a new access token into the code on this page. It can chat, expires in {lifetime} days and is shown once.
        For other permissions or a budget, see <TokenSettings />.
      </span>
    </CardFooter>
  );
}

const TokenSettings = () => (
  <Link to="/settings" search={{ tab: 'api-keys' }} className="rounded-xs text-foreground underline underline-offset-4">
    Settings &gt; API Keys
  </Link>
);
