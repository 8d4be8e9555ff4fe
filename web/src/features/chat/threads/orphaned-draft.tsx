import { isBlank } from '@roster/contracts/text/blank';
import { useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import { SendFailure } from '#web/features/chat/composer/send-failure.tsx';
import { composerAt, type NewMessage, submitDraft, useComposer } from '#web/features/chat/shared/composer-state.ts';
import { startThread } from '#web/features/chat/shared/mutations.ts';
import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type LeftTextProps = {
  place: string;
  /** The chat target of the deleted conversation. */
  choice: Choice;
  isSending: boolean;
  onStarted: (threadId: number) => void;
};

/** Text left over from a conversation that was deleted elsewhere: copy it, or send it with its files as a new one. */
export function OrphanedDraft({ place, choice, isSending, onStarted }: LeftTextProps) {
  const client = useQueryClient();
  const { text, attachments, inFlight } = useComposer(place);
  const [failure, setFailure] = useState<unknown>(null);
  const sendAsNewThread = async (message: NewMessage) => {
    setFailure(null);
    try {
      const { id } = await startThread(client, message, { place, choice, tools: null, models: [], thread: null });
      onStarted(id);
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    }
  };
  if (isBlank(text) && attachments.length === 0 && inFlight === null && !isSending) return null;
  return (
    <Composer
      place={place}
      placeholder="Message"
      onSend={sendAsNewThread}
      sending={isSending || inFlight !== null}
      notice={(sendOverBudget) => (
        <>
          {failure ? <SendFailure error={failure} onSendOverBudget={sendOverBudget} /> : null}
          <Notice
            live
            tone="warning"
            title="This conversation was deleted."
            className="mb-2"
            action={
              <>
                <CopyButton text={text} label="Copy text" showLabel className="max-md:h-10" />
                <Button
                  size="sm"
                  icon={Send}
                  className="max-md:h-10"
                  busy={inFlight !== null}
                  onClick={() => void submitDraft(composerAt(place), sendAsNewThread, false)}
                >
                  Send as a new conversation
                </Button>
              </>
            }
          >
            Copy your text or send it as a new conversation.
          </Notice>
        </>
      )}
    />
  );
}
