import { useUser } from '#web/api/current-user.ts';
import { commandKey } from '#web/lib/keyboard/keyboard.ts';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { pagesFor } from './navigation.ts';
import { newChatKeys } from './shortcuts.ts';

type Shortcut = { does: string; keys: readonly string[] };

const everywhere: readonly Shortcut[] = [
  { does: 'Search and commands', keys: [commandKey, 'K'] },
  { does: 'New chat', keys: newChatKeys },
  { does: 'This list', keys: ['?'] },
  { does: 'Collapse or expand the sidebar', keys: ['['] },
  { does: 'Go to notifications', keys: ['F8'] },
  { does: 'Close what is open', keys: ['Esc'] },
];
const chat: readonly Shortcut[] = [
  { does: 'Send the message', keys: ['Enter'] },
  { does: 'New line', keys: ['Shift', 'Enter'] },
  { does: 'Stop the answer', keys: ['Esc'] },
  { does: 'Edit the last question', keys: ['↑'] },
  { does: 'Find in the conversation', keys: [commandKey, 'F'] },
];

export function ShortcutList({ onClose }: { onClose: () => void }) {
  const goTo = pagesFor(useUser()).map(({ label, key }) => ({ does: label, keys: ['G', key.toUpperCase()] }));
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts" size="md">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls on phones and must be reachable by keyboard */}
      <div tabIndex={0} data-autofocus className="grid gap-x-10 gap-y-6 outline-none sm:grid-cols-2">
        <div className="grid content-start gap-6">
          <Group title="Everywhere" shortcuts={everywhere} />
          <Group title="Chat" shortcuts={chat} />
        </div>
        <Group title="Go to" shortcuts={goTo} />
      </div>
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3 className="mb-1.5 text-muted-foreground text-sm">{title}</h3>
      <dl>
        {shortcuts.map(({ does, keys }) => (
          <div key={does} className="flex min-h-8 items-center justify-between gap-4">
            <dt>{does}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
