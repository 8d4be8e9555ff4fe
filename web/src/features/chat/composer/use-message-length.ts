import { messageLimit } from '@roster/contracts/chat';
import { codePointLength } from '@roster/contracts/text/length';
import { useEffect, useState } from 'react';

/** Length from which the counter is shown. */
const shownFrom = messageLimit * 0.9;

type MessageLength = {
  /** '9,871/10,000', or null while far from the limit. */
  counter: string | null;
  tooLong: boolean;
  /** The contract's error. */
  problem: string | null;
};

/** Compares a text with the message limit. */
export function useMessageLength(text: string): MessageLength {
  const length = text.length < shownFrom ? text.length : codePointLength(text);
  const tooLong = length > messageLimit;
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!tooLong) return;
    let current = true;
    import('./message-check.ts')
      .then(({ messageProblem }) => current && setProblem(messageProblem(text)))
      // The counter is enough if the chunk fails to load.
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [tooLong, text]);
  const counter =
    length < shownFrom ? null : `${length.toLocaleString('en-US')}/${messageLimit.toLocaleString('en-US')}`;
  return { counter, tooLong, problem: tooLong ? problem : null };
}
