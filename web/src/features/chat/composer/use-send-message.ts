import { isBlank } from '@roster/contracts/text/blank';
import { useEffect, useEffectEvent } from 'react';
import { isInProgress } from '#web/features/chat/shared/attachments.ts';
import {
  type ComposerState,
  composerAt,
  type NewMessage,
  submitDraft,
  useComposer,
} from '#web/features/chat/shared/composer-state.ts';

export type SendingProps = {
  /** Key of the draft. */
  place: string;
  /** Shows the message at once; resolves to whether the server has it. If not, the text returns to the composer. */
  onSend: (message: NewMessage) => Promise<boolean>;
  sending: boolean;
  /** Sending must wait; Enter pressed meanwhile takes effect afterwards. */
  waiting?: boolean | undefined;
  /** Set while an answer is being written: a message is lined up then. */
  onStop?: (() => void) | undefined;
};

/** Tells whether there is a message to send, and whether it must wait for files or code. */
const sendState = ({ text, attachments, pendingFiles }: ComposerState, waiting: boolean) => ({
  isSendable: !isBlank(text) && !attachments.some(({ state }) => state === 'failed'),
  mustWait: waiting || pendingFiles.length > 0 || attachments.some(isInProgress),
});

/** Sends the composer's message, at once or as soon as nothing is pending. */
export function useSendMessage(props: SendingProps, tooLong: boolean) {
  const { place, onSend, sending, waiting = false } = props;
  const composer = useComposer(place);
  const { sendQueued } = composer;
  const { isSendable, mustWait } = sendState(composer, waiting);

  const submit = (overBudget = false) => {
    // Read from the store, not from the last render: a double press sends once, and a fresh paste is included.
    const store = composerAt(place);
    const now = sendState(store.get(), waiting);
    if (!now.isSendable || store.get().inFlight !== null || tooLong || sending) return;
    if (store.get().finalize?.() === false) return;
    if (now.mustWait) return store.set({ sendQueued: true });
    void submitDraft(store, onSend, overBudget);
  };
  const submitQueued = useEffectEvent(() => {
    composerAt(place).set({ sendQueued: false });
    submit();
  });
  const isFree = !mustWait && !sending;
  useEffect(() => {
    if (sendQueued && isFree) submitQueued();
  }, [sendQueued, isFree]);
  return { submit, canSend: isSendable && !tooLong, isBusy: sending || sendQueued };
}
