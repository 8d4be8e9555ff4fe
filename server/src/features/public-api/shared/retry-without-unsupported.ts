import { isObject } from '#server/lib/is-object';
import type { Provider } from '#server/provider/provider';
import type { RelayedResponse } from '#server/provider/relay';
import { ProviderError } from '#server/provider/transport/error';
import { rejectionPattern } from '#server/provider/transport/failures';
import { unsupportedFieldIn } from '#server/provider/unsupported/fields';
import { unsupportedSettingNote } from '#server/provider/unsupported/notes';
import type { Secret } from '#server/security/secret';

/**
 * Other names that providers use for an added field. `ordinary` lists names that are also words of ordinary sentences.
 */
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

/** The added field that the provider has refused: by the field it names, else by its message. */
const refusedAddition = <Name extends string>(error: unknown, added: AddedFields<Name>): Name | undefined =>
  unsupportedFieldIn(error, [...added.keys()].map(fieldOf))?.name;

/** Collects fields that Roster adds to a client's request. Empty values and refused fields are left out. */
export function collectAdditions<Name extends string>(refused: ReadonlySet<Name>) {
  const added = new Map<Name, unknown>();
  const fields: Record<string, unknown> = {};
  return {
    added,
    fields,
    add(name: Name, value: unknown) {
      if (value === null || value === undefined || refused.has(name)) return;
      fields[name] = value;
      added.set(name, value);
    },
  };
}

/** The fields that Roster has added to a request, with their values. */
type AddedFields<Name extends string> = ReadonlyMap<Name, unknown>;
/** A serialized request, and the fields that Roster has added to it. */
export type SerializedRequest<Name extends string> = { text: string; added: AddedFields<Name> };

/**
 * Name under which answers on pages remember the same refusal. Includes the effort: a model that refuses one may accept
 * another.
 */
function rememberedAs(name: string, value: unknown): string {
  if (name === 'reasoning_effort') return `effort ${value}`;
  if (name === 'reasoning') return `effort ${isObject(value) ? value.effort : value}`;
  // A stored name.
  if (name === 'include') return 'include of sealed reasoning';
  return name === 'text' || name === 'response_format' ? 'format' : name;
}

/** Fields that only Roster sends: a refusal that names one is about the field, not about its value. */
const alwaysTheSame = new Set(['stream_options', 'max_completion_tokens']);

/** True for fields that the model refuses whatever their value; a refused schema says nothing about other schemas. */
const isOfField = (error: unknown, name: string) =>
  error instanceof ProviderError &&
  !/invalid schema/i.test(error.message) &&
  (alwaysTheSame.has(name) ||
    error.code === 'unsupported_parameter' ||
    rejectionPattern.test(error.providerMessage ?? ''));

const notesOn = (refused: ReadonlySet<string>, model: string) =>
  [...refused].flatMap((name) => unsupportedSettingNote(name, model) ?? []);

type Asking<Name extends string, Request extends SerializedRequest<Name>> = {
  model: string;
  apiKey: Secret;
  provider: Pick<Provider, 'refusedFields'>;
  write: (refused: ReadonlySet<Name>) => Request;
  relay: (text: string) => Promise<RelayedResponse>;
};

/**
 * Sends a request without the added fields known to be refused, and retries without each one that is refused now. A
 * refusal is remembered once the request without the field has succeeded. Notes name the settings that were left out.
 */
export async function retryWithoutUnsupported<Name extends string, Request extends SerializedRequest<Name>>(
  asking: Asking<Name, Request>,
): Promise<{ relayed: RelayedResponse; request: Request; notes: string[] }> {
  const { model, apiKey, write, relay, provider } = asking;
  const { has, learn, works } = provider.refusedFields;
  const all = write(new Set());
  const refused = new Set<Name>();
  for (const [name, value] of all.added) if (has(model, rememberedAs(name, value), apiKey)) refused.add(name);
  const learned: string[] = [];
  for (;;) {
    const request = refused.size === 0 ? all : write(refused);
    try {
      const relayed = await relay(request.text);
      for (const name of learned) await learn(model, name, apiKey);
      for (const [name, value] of request.added) await works(model, rememberedAs(name, value), apiKey);
      return { relayed, request, notes: notesOn(refused, model) };
    } catch (error) {
      const addition = refusedAddition(error, request.added);
      if (addition === undefined) throw error;
      refused.add(addition);
      if (isOfField(error, addition)) learned.push(rememberedAs(addition, request.added.get(addition)));
    }
  }
}
