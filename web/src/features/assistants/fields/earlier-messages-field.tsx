import { Switch } from '#web/ui/forms/switch.tsx';
import type { AssistantForm } from './use-assistant-form.ts';

/** Sets if long conversations are summarized without asking. */
export function EarlierMessagesField({ form }: { form: AssistantForm }) {
  return (
    <Switch
      label="Summarize earlier messages automatically"
      description="Once a conversation takes 80% of the model’s context, its earlier messages are summarized before your next one is sent. Each summary costs a request to the model."
      checked={form.watch('earlierMessages') === 'summarize'}
      onChange={({ target }) =>
        form.setValue('earlierMessages', target.checked ? 'summarize' : 'keep', { shouldDirty: true })
      }
    />
  );
}
