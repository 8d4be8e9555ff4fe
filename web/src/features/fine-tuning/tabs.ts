export const fineTuningTabs = ['jobs', 'models', 'datasets', 'compare'] as const;
export type FineTuningTab = (typeof fineTuningTabs)[number];
