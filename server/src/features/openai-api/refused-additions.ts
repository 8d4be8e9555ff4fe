import { ProviderError } from '#server/provider/error';
import type { Relayed } from '#server/provider/relay';
import { settingLeftOut } from '#server/provider/setting-left-out';

/** As it can only mean the field: 'text' is part of other words. */
const inMessages = (name: string) => (name === 'text' ? "'text." : name);

/** What of the additions the provider has refused: by the field that it names, else by its words. */
function refusedAddition<Name extends string>(error: ProviderError, added: ReadonlySet<Name>): Name | undefined {
  if (error.status !== 400) return undefined;
  const { param, message } = error;
  return [...added].find((name) =>
    param === undefined ? message.includes(inMessages(name)) : param.split('.')[0] === name,
  );
}

/** What is put into a request that its program did not name. What says nothing, or has been refused, is left out. */
export function additions<Name extends string>(refused: ReadonlySet<Name>) {
  const added = new Set<Name>();
  const fields: Record<string, unknown> = {};
  return {
    added,
    fields,
    add(name: Name, value: unknown) {
      if (value === null || value === undefined || refused.has(name)) return;
      fields[name] = value;
      added.add(name);
    },
  };
}

/** What a request is made of: its text, and what of it Roster has added. */
export type Written<Name extends string> = { text: string; added: ReadonlySet<Name> };

const notesOn = (refused: ReadonlySet<string>, model: string) =>
  [...refused].flatMap((name) => settingLeftOut(name, model) ?? []);

/** Asks; what Roster has added of itself and is refused is left out, with a note on each setting. */
export async function withoutRefused<Name extends string, Request extends Written<Name>>(
  model: string,
  write: (refused: ReadonlySet<Name>) => Request,
  relay: (text: string) => Promise<Relayed>,
): Promise<{ relayed: Relayed; request: Request; notes: string[] }> {
  const refused = new Set<Name>();
  for (;;) {
    const request = write(refused);
    try {
      return { relayed: await relay(request.text), request, notes: notesOn(refused, model) };
    } catch (error) {
      const addition = error instanceof ProviderError ? refusedAddition(error, request.added) : undefined;
      if (addition === undefined) throw error;
      refused.add(addition);
    }
  }
}
