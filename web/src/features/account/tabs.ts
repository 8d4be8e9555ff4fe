export const settingsTabs = ['account', 'sessions', 'api-keys', 'assistants', 'preferences'] as const;
export type SettingsTab = (typeof settingsTabs)[number];
