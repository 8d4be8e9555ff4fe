import { isBlank } from '@roster/contracts/text/blank';
import { useEffect, useEffectEvent } from 'react';
import { isInProgress, type StoredFile } from '#web/features/chat/shared/attachments.ts';
import { type ComposerState, composerAt, useComposer } from '#web/features/chat/shared/composer-state.ts';

export type SendingProps = {
  /** Key of the draft. */
  place: string;
  /** Shows the message at once; resolves to whether the server has it. If not, the text returns to the composer. */
  onSend: (text: string, overBudget: boolean, files: readonly StoredFile[]) => Promise<boolean>;
  sending: boolean;
  /** Sending must wait; Enter pressed meanwhile takes effect afterwards. */
  waiting?: boolean | undefined;
  /** Set while an answer is being written: a message is lined up then. */
  onStop?: (() => void) | undefined;
};

/** Tells whether there is a message to send, and whether it must wait for files or code. */
const standOf = ({ text, attachments, offered }: ComposerState, waiting: boolean) => ({
  isSendable: !isBlank(text) && !attachments.some(({ state }) => state === 'failed'),
  mustWait: waiting || offered.length > 0 || attachments.some(isInProgress),
});

/** Sends the composer's message, at once or as soon as nothing is pending. */
export function useSendMessage(props: SendingProps, tooLong: boolean) {
  const { place, onSend, sending, waiting = false } = props;
  const composer = useComposer(place);
  const { wanted } = composer;
  const { isSendable, mustWait } = standOf(composer, waiting);

  const send = (overBudget = false) => {
    // Read from the store, not from the last render: a double press sends once, and a fresh paste is included.
    const store = composerAt(place);
    const now = standOf(store.get(), waiting);
    if (!now.isSendable || store.get().inProgress !== null || tooLong || sending) return;
    if (store.get().settle?.() === false) return;
    if (now.mustWait) return store.set({ wanted: true });
    void store.send((sent, files) => onSend(sent, overBudget, files));
  };
  const sendWanted = useEffectEvent(() => {
    composerAt(place).set({ wanted: false });
    send();
  });
  const isFree = !mustWait && !sending;
  useEffect(() => {
    if (wanted && isFree) sendWanted();
  }, [wanted, isFree]);
  return { send, canSend: isSendable && !tooLong, isBusy: sending || wanted };
}
