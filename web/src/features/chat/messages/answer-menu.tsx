import type { Message } from '@roster/contracts/chat';
import { useNavigate } from '@tanstack/react-router';
import { Bot, Cable, Ellipsis, PencilLine, Shuffle } from 'lucide-react';
import { useRef, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import type { ChatTargetPickerProps } from '#web/features/chat/chat-targets/chat-target-picker.tsx';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';

const ChatTargetPicker = lazyPart<ChatTargetPickerProps>(
  async () => (await import('#web/features/chat/chat-targets/chat-target-picker.tsx')).ChatTargetPicker,
);

/** Further actions on an answer, in words. */
export function AnswerMenu({ message }: { message: Message }) {
  const { choice, regenerate, blockedReason, correct } = useThreadActions();
  const { reason } = useEditAccess();
  const navigate = useNavigate();
  const [isPicking, setPicking] = useState(false);
  const wrapper = useRef<HTMLSpanElement>(null);
  const anchor = () => wrapper.current?.querySelector<HTMLElement>('[aria-haspopup="menu"]') ?? null;
  const { id, parentId, model, state, text } = message;
  const canImprove = state !== 'failed' && state !== 'interrupted' && text.trim() !== '';
  // An assistant is one already, and has a page for programs.
  const ownModel = choice.assistantId === null ? model : null;
  return (
    <span ref={wrapper} className="contents">
      <Menu
        align="start"
        trigger={<IconButton label="More actions" icon={Ellipsis} size="sm" className="max-md:size-10" />}
      >
        {parentId !== null && (
          <MenuItem icon={Shuffle} disabledReason={blockedReason} onSelect={() => setPicking(true)}>
            Answer with another model
          </MenuItem>
        )}
        {canImprove && (
          <MenuItem icon={PencilLine} onSelect={() => correct(message)}>
            Improve this answer
          </MenuItem>
        )}
        {ownModel !== null && (
          <>
            <MenuItem
              icon={Bot}
              disabledReason={reason}
              onSelect={() => void navigate({ to: '/assistants/new', search: { model: ownModel } })}
            >
              Save as assistant
            </MenuItem>
            <MenuItem icon={Cable} onSelect={() => void navigate({ to: '/connect', search: { model: ownModel } })}>
              Use in a program
            </MenuItem>
          </>
        )}
      </Menu>
      {isPicking && (
        <ChatTargetPicker
          label="Answer with another model"
          current={null}
          modelsOnly
          onChoose={(chosen) => chosen.model !== null && regenerate(id, chosen.model)}
          anchor={anchor}
          onClose={(returnFocus) => {
            setPicking(false);
            if (returnFocus) anchor()?.focus();
          }}
        />
      )}
    </span>
  );
}
