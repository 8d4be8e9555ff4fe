import { CopyButton } from '#web/ui/copy-button.tsx';

const setting = /(\S+) in TOOL_HOSTS_ALLOWED\b/;

/** The line of the configuration that lets Roster reach an address it refuses; nothing for other refusals. */
export function OperatorLine({ notice }: { notice: string }) {
  const [, host] = setting.exec(notice) ?? [];
  if (host === undefined) return null;
  const line = `TOOL_HOSTS_ALLOWED=${host}`;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-2 text-muted-foreground text-sm">
      For the operator’s environment; add it with a comma if there are others:
      <code dir="ltr" className="wrap-anywhere rounded-xs bg-muted px-1.5 py-0.5 font-mono text-foreground">
        {line}
      </code>
      <CopyButton text={line} label="Copy the line for the operator" />
    </p>
  );
}
