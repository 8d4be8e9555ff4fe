import type { UserConfig } from '@roster/contracts/account';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { userConfigQuery } from '#web/api/user-config.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { ApiKeyForm } from './api-key-form.tsx';
import { RemoveKeyDialog } from './remove-key-dialog.tsx';

/** Status of the provider key, with change and removal. */
export function ApiKeyCard() {
  // Refetched on mount: a chat may have found that the provider rejects the key.
  const { data: config } = useQuery({ ...userConfigQuery, refetchOnMount: 'always' });
  const provider = useProviderName();
  const [removing, setRemoving] = useState(false);
  return (
    <Card>
      <CardHeader
        title="API Key"
        description={`Roster calls ${provider} with your own key, so usage is billed to your own account there.`}
      />
      <div className="grid gap-6 p-5">
        <div className="flex min-h-16 flex-wrap items-center gap-x-3.5 gap-y-2 rounded-md border border-border bg-background px-4 py-3">
          <KeyRound aria-hidden className="size-4 text-muted-foreground" />
          {config ? <KeyStatus config={config} /> : <Skeleton className="h-5 w-48" />}
          {config?.hasApiKey && (
            <Button variant="ghost" size="sm" onClick={() => setRemoving(true)} className="max-sm:ms-5">
              Remove
            </Button>
          )}
        </div>
        <ApiKeyForm replaces={config?.hasApiKey ?? false} />
      </div>
      <CardFooter>
        Your API key is encrypted at rest with a key kept outside the database, is used only to call the provider, and
        is never shown again.
      </CardFooter>
      <RemoveKeyDialog open={removing} onClose={() => setRemoving(false)} />
    </Card>
  );
}

function KeyStatus({ config }: { config: UserConfig }) {
  if (!config.hasApiKey) return <p className="flex-1 font-medium">No API Key set</p>;
  return (
    <div className="wrap-anywhere min-w-0 flex-1 basis-40">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
        API Key is set
        {config.apiKeyVerified ? <Badge tone="success">Verified</Badge> : <Badge tone="warning">Not verified</Badge>}
      </p>
      <p className="text-muted-foreground text-sm">
        {config.apiKeyAddedAt && `Added on ${formatLongDate(config.apiKeyAddedAt)}`}
        {config.apiKeyLast4 && (
          <>
            {' · ends in '}
            <span className="font-mono text-foreground">{config.apiKeyLast4}</span>
          </>
        )}
      </p>
      {config.apiKeyNotice && <p className="mt-1 text-sm text-warning-text">{config.apiKeyNotice}</p>}
    </div>
  );
}
