export const settingsTabs = [
  'account',
  'sessions',
  'api-keys',
  'assistants',
  'tools',
  'import',
  'preferences',
] as const;
export type SettingsTab = (typeof settingsTabs)[number];
