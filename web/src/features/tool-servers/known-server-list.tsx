import { formatLongDate } from '#web/lib/text/format.ts';
import { type KnownServer, knownServers, knownServersAsOf } from './known-servers.ts';

/** Public servers; choosing one fills in the form. */
export function KnownServerList({ onChoose }: { onChoose: (server: KnownServer) => void }) {
  return (
    <section aria-labelledby="known-servers">
      <h3 id="known-servers" className="font-medium">
        Known servers
      </h3>
      <ul className="mt-2 grid gap-2 sm:grid-cols-2">
        {knownServers.map((server) => (
          <li key={server.name}>
            <button
              type="button"
              onClick={() => onChoose(server)}
              className="grid h-full w-full content-start gap-0.5 rounded-md border border-border px-3 py-2 text-start transition-colors duration-120 hover:border-border-strong hover:bg-hover"
            >
              <span className="flex flex-wrap items-baseline justify-between gap-x-2">
                <span className="font-medium">{server.name}</span>
                <span className="text-muted-foreground text-xs">{server.needs}</span>
              </span>
              <span className="text-muted-foreground text-sm">{server.use}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted-foreground text-xs">
        According to their documentation on {formatLongDate(knownServersAsOf)}. They are not part of Roster.
      </p>
    </section>
  );
}
