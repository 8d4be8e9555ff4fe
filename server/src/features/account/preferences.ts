import { type Locale, type Preferences, PreferencesInput } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import type { ChosenPreferences, PreferencesRepository } from './preferences-repository.ts';
import { preferencesRepository } from './preferences-repository.ts';

const noColors = {
  backgroundColor: null,
  foregroundColor: null,
  primaryColor: null,
  accentColor: null,
  cardColor: null,
};

export function preferencesService(preferences: PreferencesRepository) {
  return {
    find: preferences.find,
    /** Stores colors only while they are on. */
    async save(userId: number, input: z.output<typeof PreferencesInput>): Promise<Preferences> {
      const { primaryColor = null, cardColor = null, timeZone: _, language: __, ...sent } = input;
      const before = await preferences.find(userId);
      const modelMails = sent.modelMails ?? before.modelMails;
      const titleModel = sent.titleModel === undefined ? before.titleModel : sent.titleModel;
      const saved: ChosenPreferences = {
        ...sent,
        modelMails,
        titleModel,
        primaryColor,
        cardColor,
        ...(!sent.customColors && noColors),
      };
      await preferences.save(userId, saved);
      const { timeZone, language } = before;
      return { ...saved, timeZone, language };
    },
    saveLocale: (userId: number, locale: Locale): Promise<void> => preferences.saveLocale(userId, locale),
  };
}

export type PreferencesService = ReturnType<typeof preferencesService>;

/** Takes over the preferences of an account export, unless the user has chosen any here. Call in a transaction. */
export async function importPreferences(trx: Kysely<Database>, userId: number, given: unknown) {
  const preferences = preferencesRepository(trx);
  const { data } = PreferencesInput.safeParse(given);
  if (data && !(await preferences.isSaved(userId))) await preferencesService(preferences).save(userId, data);
}
