/** Sub-tabs of Assistants. */
export const assistantViews = ['api-key', 'list', 'create', 'import'] as const;
export type AssistantView = (typeof assistantViews)[number];
