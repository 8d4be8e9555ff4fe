import type { Preferences, PreferencesInput } from '@roster/contracts/account';
import type { z } from 'zod';
import type { PreferencesRepository } from './preferences-repository.ts';

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
      const { primaryColor = null, cardColor = null, ...sent } = input;
      const before = await preferences.find(userId);
      const modelMails = sent.modelMails ?? before.modelMails;
      const titleModel = sent.titleModel === undefined ? before.titleModel : sent.titleModel;
      const saved: Preferences = {
        ...sent,
        modelMails,
        titleModel,
        primaryColor,
        cardColor,
        ...(!sent.customColors && noColors),
      };
      await preferences.save(userId, saved);
      return saved;
    },
  };
}

export type PreferencesService = ReturnType<typeof preferencesService>;
