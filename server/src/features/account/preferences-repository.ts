import { defaultPreferences, type Locale, type Preferences } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** Saved by hand. The locale is stored with the user, because it says nothing about whether any were saved. */
export type ChosenPreferences = Omit<Preferences, keyof Locale>;

export function preferencesRepository(db: Kysely<Database>) {
  return {
    /** Returns the defaults if nothing was saved. */
    async find(userId: number): Promise<Preferences> {
      const user = await db
        .selectFrom('users')
        .select(['time_zone as timeZone', 'language'])
        .where('id', '=', userId)
        .executeTakeFirst();
      const row = await db.selectFrom('preferences').selectAll().where('user_id', '=', userId).executeTakeFirst();
      if (!row) return { ...defaultPreferences, ...user };
      return {
        ...{ timeZone: null, language: null, ...user },
        theme: row.theme,
        notificationsEnabled: row.notifications_enabled === 1,
        soundEnabled: row.sound_enabled === 1,
        modelMails: row.model_mails === 1,
        titleModel: row.title_model,
        customColors: row.custom_colors === 1,
        backgroundColor: row.background_color,
        foregroundColor: row.foreground_color,
        primaryColor: row.primary_color,
        accentColor: row.accent_color,
        cardColor: row.card_color,
      };
    },
    async isSaved(userId: number): Promise<boolean> {
      const row = await db.selectFrom('preferences').select('user_id').where('user_id', '=', userId).executeTakeFirst();
      return row !== undefined;
    },
    async save(userId: number, preferences: ChosenPreferences) {
      const values = {
        theme: preferences.theme,
        notifications_enabled: flag(preferences.notificationsEnabled),
        sound_enabled: flag(preferences.soundEnabled),
        model_mails: flag(preferences.modelMails),
        title_model: preferences.titleModel,
        custom_colors: flag(preferences.customColors),
        background_color: preferences.backgroundColor,
        foreground_color: preferences.foregroundColor,
        primary_color: preferences.primaryColor,
        accent_color: preferences.accentColor,
        card_color: preferences.cardColor,
      };
      await db
        .insertInto('preferences')
        .values({ user_id: userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
    },
    async saveLocale(userId: number, { timeZone, language }: Locale) {
      await db.updateTable('users').set({ time_zone: timeZone, language }).where('id', '=', userId).execute();
    },
    /** A user as instructions can name them. */
    async person(userId: number) {
      return db
        .selectFrom('users')
        .select(['name', 'email', 'time_zone as timeZone', 'language'])
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
    },
  };
}

export type PreferencesRepository = ReturnType<typeof preferencesRepository>;
