import { useEffect, useState } from 'react';

/** What this browser says about notifications from Roster. */
export type NotificationState = 'granted' | 'denied' | 'default' | 'unsupported';

export const notificationState = (): NotificationState =>
  'Notification' in window ? Notification.permission : 'unsupported';

/** The state, kept up to date, and a way to ask for permission; call it from a click only. */
export function useNotificationState(): [NotificationState, () => Promise<NotificationState>] {
  const [state, setState] = useState(notificationState);
  useEffect(() => {
    // Changed in the browser's own settings, from where one comes back to this page.
    const look = () => setState(notificationState());
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  const ask = async () => {
    const answer = notificationState() === 'default' ? await Notification.requestPermission() : notificationState();
    setState(answer);
    return answer;
  };
  return [state, ask];
}

type Shown = {
  title: string;
  body: string;
  /** The same thing told by two tabs is shown once. */
  tag: string;
  onClick: () => void;
};

export function showNotification({ title, body, tag, onClick }: Shown): void {
  if (notificationState() !== 'granted') return;
  try {
    const notification = new Notification(title, { body, tag, icon: '/favicon.svg' });
    notification.onclick = () => {
      notification.close();
      window.focus();
      onClick();
    };
  } catch {
    // Phones have the interface but show notifications of installed applications only.
  }
}
