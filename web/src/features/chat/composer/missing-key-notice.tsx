import { SettingsLink } from '#web/components/settings-link.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

export function MissingKeyNotice() {
  return (
    <Notice title="An API key is needed to chat" className="mb-2" action={<SettingsLink />}>
      Answers come from your own account at the provider. Save its API key in Settings first.
    </Notice>
  );
}
