import { isBlank } from '@roster/contracts/text/blank';
import { useEffect, useEffectEvent } from 'react';
import { isUploading, type StoredFile } from '#web/features/chat/attachments/attachments.ts';
import { type ComposerState, composerAt, useComposer } from './composer-state.ts';

export type SendingProps = {
  /** Where the text is kept until it is sent. */
  place: string;
  /** Shows the message at once. Whether the server has it; where not, it stands here again. */
  onSend: (text: string, overBudget: boolean, files: readonly StoredFile[]) => Promise<boolean>;
  sending: boolean;
  /** Nothing can be sent for a moment; Enter pressed meanwhile counts when it is over. */
  waiting?: boolean | undefined;
  /** While an answer is being written, Stop is where Send was. */
  onStop?: (() => void) | undefined;
};

/** Whether there is a message to send, and whether it has to wait for its files or for what sends it. */
const standOf = ({ text, attachments, offered }: ComposerState, waiting: boolean) => ({
  isSendable: !isBlank(text) && !attachments.some(({ state }) => state === 'failed'),
  mustWait: waiting || offered.length > 0 || attachments.some(isUploading),
});

/** Sends what stands in the composer, now or as soon as nothing has to be waited for any more. */
export function useSendMessage(props: SendingProps, tooLong: boolean) {
  const { place, onSend, sending, waiting = false, onStop } = props;
  const composer = useComposer(place);
  const { wanted } = composer;
  const { isSendable, mustWait } = standOf(composer, waiting);

  const send = (overBudget = false) => {
    // As it is now, not as it was drawn: what is pressed twice is sent once, and what was just pasted goes along.
    const store = composerAt(place);
    const now = standOf(store.get(), waiting);
    if (!now.isSendable || store.get().underWay !== null || tooLong || sending || onStop) return;
    if (now.mustWait) return store.set({ wanted: true });
    void store.send((sent, files) => onSend(sent, overBudget, files));
  };
  const sendWanted = useEffectEvent(() => {
    composerAt(place).set({ wanted: false });
    send();
  });
  // Pressed before it was known that an answer is being written: it goes when that has ended.
  const isFree = !mustWait && !sending && !onStop;
  useEffect(() => {
    if (wanted && isFree) sendWanted();
  }, [wanted, isFree]);
  return { send, canSend: isSendable && !tooLong, isBusy: sending || wanted };
}
