import { ProviderError } from '#server/provider/error';
import type { Relayed } from '#server/provider/relay';

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

/** What of an assistant’s settings a model does without; the rest of what is added is Roster’s own affair. */
const inWords: Record<string, string> = {
  temperature: 'The temperature',
  top_p: 'The nucleus sampling',
  reasoning: 'The reasoning effort',
  reasoning_effort: 'The reasoning effort',
  text: 'The answer format',
  response_format: 'The answer format',
};
const noteOn = (name: string) =>
  inWords[name] ? [`${inWords[name]} was left out: the model does not accept it.`] : [];

/** Asks; what Roster has added of itself and is refused is left out. */
export async function withoutRefused<Name extends string, Request extends Written<Name>>(
  write: (refused: ReadonlySet<Name>) => Request,
  relay: (text: string) => Promise<Relayed>,
): Promise<{ relayed: Relayed; request: Request; notes: string[] }> {
  const refused = new Set<Name>();
  for (;;) {
    const request = write(refused);
    try {
      return { relayed: await relay(request.text), request, notes: [...refused].flatMap(noteOn) };
    } catch (error) {
      const addition = error instanceof ProviderError ? refusedAddition(error, request.added) : undefined;
      if (addition === undefined) throw error;
      refused.add(addition);
    }
  }
}
