import { truncate } from '@roster/contracts/text/truncate';
import { settingsTabs } from '#web/features/account/tabs.ts';
import { assistantViews } from '#web/features/assistants/views.ts';
import { purposes, sorts } from '#web/features/files/views.ts';
import { fineTuningTabs } from '#web/features/fine-tuning/tabs.ts';
import { userSorts, usersTabs } from '#web/features/users/tabs.ts';

/** What stands after the `?` of an address; anything else is dropped. */
type Raw = Record<string, unknown>;

const oneOf = <Value extends string>(values: readonly Value[], given: unknown): Value | undefined =>
  values.find((value) => value === given);

const positiveInteger = (given: unknown): number | undefined =>
  typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : undefined;

const text = (given: unknown): string | undefined => (typeof given === 'string' && given !== '' ? given : undefined);
const query = (given: unknown, limit: number): string | undefined =>
  text(typeof given === 'number' ? String(given) : given) && truncate(String(given), limit);

/**
 * What is not there is named as undefined: the router lays these values over those of the address, and what it is not
 * told of would stay as it was typed. From an address that it writes, it leaves undefined out.
 */
const withUndefined = <Search extends Raw>(search: Search): { [Key in keyof Search]?: Search[Key] } => search;

export const settingsSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(settingsTabs, raw.tab),
    /** The sub-tab of Assistants. */
    view: oneOf(assistantViews, raw.view),
    /** The assistant whose form is open. */
    edit: positiveInteger(raw.edit),
    /** The version of it that is shown. */
    version: positiveInteger(raw.version),
    /** The comparison whose draft is in the form. */
    draft: positiveInteger(raw.draft),
    /** What a new assistant begins with, and the dataset whose examples become its instructions. */
    name: query(raw.name, 200),
    model: query(raw.model, 200),
    examples: positiveInteger(raw.examples),
    /** How connecting Google or GitHub ended. */
    connected: text(raw.connected),
    error: text(raw.error),
    /** The tool server that a person has signed in to, or why not. */
    signedIn: positiveInteger(raw.signedIn),
    signInFailed: text(raw.signInFailed),
  });

export const chatSearch = (raw: Raw) =>
  withUndefined({
    assistant: positiveInteger(raw.assistant),
    /** A new conversation, also where a phone would show the list. */
    new: raw.new === true ? true : undefined,
  });

export const fineTuningSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(fineTuningTabs, raw.tab),
    /** The files that a new job begins with. */
    train: positiveInteger(raw.train),
    validate: positiveInteger(raw.validate),
    /** The job that it repeats; `base` says on what. */
    again: positiveInteger(raw.again),
    /** The models that a new comparison begins with, and the file that its prompts come from. */
    tuned: text(raw.tuned),
    base: text(raw.base),
    prompts: positiveInteger(raw.prompts),
  });

export const usersSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(usersTabs, raw.tab),
    /** Part of a name or an address. The router makes a number of one. */
    q: query(raw.q, 200),
    sort: oneOf(userSorts, raw.sort),
    order: oneOf(['asc', 'desc'] as const, raw.order),
  });

export const filesSearch = (raw: Raw) =>
  withUndefined({
    /** Part of a filename. The router makes a number of one. */
    q: query(raw.q, 255),
    sort: oneOf(sorts, raw.sort),
    purpose: oneOf(purposes, raw.purpose),
  });

/** The days to show: so many up to today, or from one to another. */
export const analyticsSearch = (raw: Raw) =>
  withUndefined({
    range: ([7, 30, 90] as const).find((days) => days === raw.range),
    from: text(raw.from),
    to: text(raw.to),
  });

export const authSearch = (raw: Raw) =>
  withUndefined({
    tab: oneOf(['login', 'register'] as const, raw.tab),
    /** Where to go after signing in. */
    redirect: text(raw.redirect),
    /** Why signing in through Google or GitHub did not work. */
    error: text(raw.error),
  });
