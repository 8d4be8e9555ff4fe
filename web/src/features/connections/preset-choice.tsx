import type { ConnectionPreset, LocalServer } from '@roster/contracts/connections/connections';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { Input } from '#web/ui/forms/input.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { counted } from './labels.ts';
import { PresetMark } from './preset-mark.tsx';
import { localServersQuery, presetsQuery } from './queries.ts';

type ChoiceProps = { onChoose: (preset: ConnectionPreset, server?: LocalServer) => void };

/** The providers to choose from, and the servers that run on Roster's machine. */
export function PresetChoice({ onChoose }: ChoiceProps) {
  const query = useQuery(presetsQuery);
  const local = useQuery(localServersQuery).data?.servers ?? [];
  const [search, setSearch] = useState('');
  if (query.isPending) return <LoadingRows label="Loading providers" />;
  if (query.isError)
    return (
      <RetryNotice tone="destructive" live query={query}>
        Failed to load the providers: {errorText(query.error)}
      </RetryNotice>
    );
  const { presets } = query.data;
  const words = search.trim().toLowerCase();
  const found = presets.filter(({ name, baseUrl }) => `${name} ${baseUrl ?? ''}`.toLowerCase().includes(words));
  return (
    <div className="grid gap-5">
      <Input
        type="search"
        aria-label="Search providers"
        placeholder="Search providers"
        data-autofocus
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {local.length > 0 && (
        <section className="grid gap-2" aria-label="On this machine">
          <h3 className="font-medium">On this machine</h3>
          <ul className="grid gap-2 sm:grid-cols-2">
            {local.map((server) => {
              const preset = presets.find(({ id }) => id === server.preset);
              return (
                preset && (
                  <Choice
                    key={server.baseUrl}
                    preset={preset}
                    detail={`${server.baseUrl} · ${counted(server.models, 'model')}`}
                    onClick={() => onChoose(preset, server)}
                  />
                )
              );
            })}
          </ul>
        </section>
      )}
      <ul aria-label="Providers" className="grid gap-2 sm:grid-cols-2">
        {found.map((preset) => (
          <Choice
            key={preset.id}
            preset={preset}
            detail={preset.baseUrl ?? preset.example ?? ''}
            onClick={() => onChoose(preset)}
          />
        ))}
      </ul>
      {found.length === 0 && <p className="text-muted-foreground">No provider has this name. Use Another address.</p>}
    </div>
  );
}

type PresetButtonProps = { preset: ConnectionPreset; detail: string; onClick: () => void };

function Choice({ preset, detail, onClick }: PresetButtonProps) {
  const { id, name, allowed, notice } = preset;
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-disabled={!allowed || undefined}
        onClick={() => allowed && onClick()}
        className="flex h-full w-full items-start gap-3 rounded-md border border-border bg-card p-3 text-start not-aria-disabled:hover:bg-hover aria-disabled:opacity-70"
      >
        <PresetMark preset={id} />
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{name}</span>
          <span dir={allowed ? 'ltr' : 'auto'} className="wrap-anywhere block text-muted-foreground text-sm">
            {allowed ? detail : notice}
          </span>
        </span>
      </button>
    </li>
  );
}
