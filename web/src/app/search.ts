import { truncate } from '@roster/contracts/text/truncate';
import { settingsTabs } from '#web/features/account/tabs.ts';
import { assistantViews } from '#web/features/assistants/views.ts';
import { purposes, sorts } from '#web/features/files/views.ts';
import { fineTuningTabs } from '#web/features/fine-tuning/tabs.ts';
import { analyticsTabs, presets } from '#web/features/usage/shared/views.ts';
import { userSorts, usersTabs } from '#web/features/users/tabs.ts';

/** Search parameters of the address; unknown ones are dropped. */
type Raw = Record<string, unknown>;

/** `parallelModelLimit` of the contract, which would bring its schemas into the first load. */
const modelLimit = 4;
/** Names in the address, at most as many as can answer one question. */
const modelNames = (given: unknown): string[] | undefined => {
  const names = Array.isArray(given) ? given.flatMap((name) => query(name, 200) ?? []) : [];
  return names.length < 2 ? undefined : [...new Set(names)].slice(0, modelLimit);
};

const oneOf = <Value extends string>(values: readonly Value[], given: unknown): Value | undefined =>
  values.find((value) => value === given);

const positiveInteger = (given: unknown): number | undefined =>
  typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : undefined;

const text = (given: unknown): string | undefined => (typeof given === 'string' && given !== '' ? given : undefined);
const query = (given: unknown, limit: number): string | undefined =>
  text(typeof given === 'number' ? String(given) : given) && truncate(String(given), limit);

/** YYYY-MM-DD */
const day = (given: unknown): string | undefined =>
  text(given) && /^\d{4}-\d{2}-\d{2}$/.test(String(given)) && !Number.isNaN(Date.parse(String(given)))
    ? String(given)
    : undefined;

/**
 * Keeps missing keys as undefined: the router merges these values over the address, so a key left out would stay as
 * typed. It omits undefined when it writes an address.
 */
const withUndefined = <Search extends Raw>(search: Search): { [Key in keyof Search]?: Search[Key] } => search;

export const settingsSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(settingsTabs, raw.tab),
    /** Sub-tab of Assistants. */
    view: oneOf(assistantViews, raw.view),
    /** Id of the assistant whose form is open. */
    edit: positiveInteger(raw.edit),
    /** Number of the version shown. */
    version: positiveInteger(raw.version),
    /** Id of the comparison whose draft fills the form. */
    draft: positiveInteger(raw.draft),
    /** Initial values of a new assistant, and the dataset whose examples become its instructions. */
    name: query(raw.name, 200),
    model: query(raw.model, 200),
    examples: positiveInteger(raw.examples),
    /** Result of connecting Google or GitHub. */
    connected: text(raw.connected),
    error: text(raw.error),
    /** Id of the tool server just signed in to, or the error. */
    signedIn: positiveInteger(raw.signedIn),
    signInFailed: text(raw.signInFailed),
  });

export const chatSearch = (raw: Raw) =>
  withUndefined({
    assistant: positiveInteger(raw.assistant),
    /** Opens a new conversation, also on phones, which otherwise show the list. */
    new: raw.new === true ? true : undefined,
    /** Id of the project that the new conversation is in. */
    project: positiveInteger(raw.project),
    /** The search of the list, and its filters; their names differ from those of a new conversation. */
    q: query(raw.q, 200),
    withAssistant: positiveInteger(raw.withAssistant),
    withModel: query(raw.withModel, 200),
    inProject: positiveInteger(raw.inProject),
    from: day(raw.from),
    to: day(raw.to),
    files: typeof raw.files === 'boolean' ? raw.files : undefined,
    rating: oneOf(['good', 'bad'] as const, raw.rating),
    /** Models that a new conversation asks side by side, with example questions. */
    models: modelNames(raw.models),
  });

export const connectSearch = (raw: Raw) =>
  withUndefined({ assistant: positiveInteger(raw.assistant), model: query(raw.model, 200) });

/** Model of a new assistant. */
export const newAssistantSearch = (raw: Raw) => withUndefined({ model: query(raw.model, 200) });

export const fineTuningSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(fineTuningTabs, raw.tab),
    /** Ids of the files that a new job starts with. */
    train: positiveInteger(raw.train),
    validate: positiveInteger(raw.validate),
    /** Id of the job to repeat; `base` overrides its model. */
    again: positiveInteger(raw.again),
    /** Initial models of a new comparison, and the file its prompts come from. */
    tuned: text(raw.tuned),
    base: text(raw.base),
    prompts: positiveInteger(raw.prompts),
  });

export const usersSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(usersTabs, raw.tab),
    /** Part of a name or email address. The router parses digits as a number. */
    q: query(raw.q, 200),
    sort: oneOf(userSorts, raw.sort),
    order: oneOf(['asc', 'desc'] as const, raw.order),
  });

export const filesSearch = (raw: Raw) =>
  withUndefined({
    /** Part of a filename. The router parses digits as a number. */
    q: query(raw.q, 255),
    sort: oneOf(sorts, raw.sort),
    purpose: oneOf(purposes, raw.purpose),
  });

/** Tab, and the days shown: a preset or a range. */
export const analyticsSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(analyticsTabs, raw.tab),
    range: presets.find((preset) => preset === raw.range),
    from: text(raw.from),
    to: text(raw.to),
  });

export const authSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(['login', 'register'] as const, raw.tab),
    step: oneOf(['second-factor'] as const, raw.step),
    /** Return path after signing in. */
    redirect: text(raw.redirect),
    /** Error of signing in with Google or GitHub. */
    error: text(raw.error),
  });
