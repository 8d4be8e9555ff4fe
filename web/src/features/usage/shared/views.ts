/** In the address; the first is the page without `tab`. */
export const analyticsTabs = ['overview', 'requests', 'tools', 'tokens', 'budgets', 'provider'] as const;
export type AnalyticsTab = (typeof analyticsTabs)[number];

/** The last days, or a calendar month. */
export const presets = [7, 30, 90, 'this-month', 'last-month'] as const;
export type Preset = (typeof presets)[number];
