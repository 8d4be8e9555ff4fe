import { Volume2 } from 'lucide-react';
import { chime } from '#web/lib/chime.ts';
import { type NotificationState, useNotificationState } from '#web/lib/notifications.ts';
import { toastError } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import type { Draft } from './use-draft.ts';

type NotificationsProps = {
  draft: Draft;
  onChange: (changes: Partial<Pick<Draft, 'notificationsEnabled' | 'soundEnabled' | 'modelMails'>>) => void;
};

export function Notifications({ draft, onChange }: NotificationsProps) {
  const [permission, ask] = useNotificationState();
  const enable = (enabled: boolean) => {
    onChange({ notificationsEnabled: enabled });
    if (enabled && permission === 'default') void ask();
  };
  const play = () =>
    chime().catch(() => toastError({ title: 'No sound', description: 'This browser cannot play it.' }));
  return (
    <div className="grid gap-6">
      <div className="grid gap-3">
        <Switch
          label="Enable Notifications"
          description="Notifies you when an answer finishes in the background"
          checked={draft.notificationsEnabled}
          onChange={(event) => enable(event.currentTarget.checked)}
        />
        {draft.notificationsEnabled && <ThisBrowser permission={permission} onAsk={() => void ask()} />}
      </div>
      <div className="grid gap-3">
        <Switch
          label="Sound Effects"
          description="Two short, quiet tones with each notification"
          checked={draft.soundEnabled}
          onChange={(event) => onChange({ soundEnabled: event.currentTarget.checked })}
        />
        {draft.soundEnabled && (
          <Button size="sm" variant="ghost" icon={Volume2} onClick={() => void play()} className="-ms-2.5 w-fit">
            Play the sound
          </Button>
        )}
      </div>
      <Switch
        label="Emails About Retiring Models"
        description="60 days, 14 days and one day before a model you use retires"
        checked={draft.modelMails}
        onChange={(event) => onChange({ modelMails: event.currentTarget.checked })}
      />
    </div>
  );
}

/** The preference belongs to the account; the permission to each browser. */
function ThisBrowser({ permission, onAsk }: { permission: NotificationState; onAsk: () => void }) {
  if (permission === 'granted') {
    return <p className="text-muted-foreground text-sm">This browser shows notifications from Roster.</p>;
  }
  if (permission === 'default') {
    return (
      <Notice
        title="This browser has not been asked yet"
        action={
          <Button size="sm" onClick={onAsk}>
            Allow in this browser
          </Button>
        }
      >
        It shows notifications from Roster once you allow them.
      </Notice>
    );
  }
  if (permission === 'denied') {
    return (
      <Notice tone="warning" title="This browser blocks notifications from Roster">
        Allow them for this address in the browser’s own site settings, then come back to this page.
      </Notice>
    );
  }
  return (
    <Notice tone="warning" title="This browser cannot show notifications">
      The preference still applies to your other devices.
    </Notice>
  );
}
