export const settingsTabs = ['account', 'sessions', 'api-keys', 'assistants', 'tools', 'preferences'] as const;
export type SettingsTab = (typeof settingsTabs)[number];
