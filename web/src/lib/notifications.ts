import { useEffect, useState } from 'react';

/** The browser's permission for notifications. */
export type NotificationState = 'granted' | 'denied' | 'default' | 'unsupported';

const notificationState = (): NotificationState => ('Notification' in window ? Notification.permission : 'unsupported');

/** The current permission, and a function that requests it; call that from a click only. */
export function useNotificationState(): [NotificationState, () => Promise<NotificationState>] {
  const [state, setState] = useState(notificationState);
  useEffect(() => {
    // It can change in the browser's settings; the window gets focus afterwards.
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
  /** Two tabs showing the same tag produce one notification. */
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
    // Phones have the API but show notifications of installed applications only.
  }
}
