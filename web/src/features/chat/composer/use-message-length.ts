import { messageLimit } from '@roster/contracts/chat';
import { codePointLength } from '@roster/contracts/text/length';
import { useEffect, useState } from 'react';

/** Length is shown when it begins to matter. */
const shownFrom = messageLimit * 0.9;

type MessageLength = {
  /** '9,871/10,000', or null while there is room enough. */
  counter: string | null;
  tooLong: boolean;
  /** What is wrong, in the contract's words. */
  problem: string | null;
};

/** How a text stands to the limit of a message. */
export function useMessageLength(text: string): MessageLength {
  const length = text.length < shownFrom ? text.length : codePointLength(text);
  const tooLong = length > messageLimit;
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!tooLong) return;
    let current = true;
    import('./message-check.ts')
      .then(({ messageProblem }) => current && setProblem(messageProblem(text)))
      // Without the words, the counter says it.
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [tooLong, text]);
  const counter =
    length < shownFrom ? null : `${length.toLocaleString('en-US')}/${messageLimit.toLocaleString('en-US')}`;
  return { counter, tooLong, problem: tooLong ? problem : null };
}
