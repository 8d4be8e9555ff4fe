import { isBlank } from '@roster/contracts/text/blank';
import { useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import { SendFailure } from '#web/features/chat/composer/send-failure.tsx';
import type { StoredFile } from '#web/features/chat/shared/attachments.ts';
import { composerAt, useComposer } from '#web/features/chat/shared/composer-state.ts';
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
  const { text, attachments, inProgress } = useComposer(place);
  const [failure, setFailure] = useState<unknown>(null);
  const send = async (sent: string, overBudget: boolean, files: readonly StoredFile[]) => {
    setFailure(null);
    try {
      const start = { text: sent, files, place, overBudget, choice, tools: null, models: [], thread: null };
      const { id } = await startThread(client, start);
      onStarted(id);
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    }
  };
  if (isBlank(text) && attachments.length === 0 && inProgress === null && !isSending) return null;
  return (
    <Composer
      place={place}
      placeholder="Message"
      onSend={send}
      sending={isSending || inProgress !== null}
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
                  busy={inProgress !== null}
                  onClick={() => void composerAt(place).send((sent, files) => send(sent, false, files))}
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
