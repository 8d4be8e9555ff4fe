import { refusedField } from '#server/provider/refused-fields';
import type { Relayed } from '#server/provider/relay';
import { settingLeftOut } from '#server/provider/setting-left-out';

/** Names by which providers call an addition beside its own, and those that are words of ordinary sentences. */
const alsoCalled: Record<string, readonly string[]> = {
  stream_options: ['include_usage'],
  reasoning_effort: ['reasoning', 'thinking'],
  reasoning: ['reasoning_effort', 'thinking'],
  text: ['text.format', 'response_format'],
};
const ordinary = new Set(['text', 'reasoning', 'reasoning_effort', 'include', 'store']);

const fieldOf = <Name extends string>(name: Name) => ({
  name,
  called: [name, ...(alsoCalled[name] ?? [])],
  isOrdinary: ordinary.has(name),
});

/** What of the additions the provider has refused: by the field that it names, else by its words. */
const refusedAddition = <Name extends string>(error: unknown, added: ReadonlySet<Name>): Name | undefined =>
  refusedField(error, [...added].map(fieldOf))?.name;

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
      const addition = refusedAddition(error, request.added);
      if (addition === undefined) throw error;
      refused.add(addition);
    }
  }
}
