import type { ComparisonPrompt } from '@roster/contracts/fine-tuning/comparisons';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '#web/lib/api.ts';
import { isOpen, isUnderWay, useAskPrompt } from './queries.ts';

const waitForRoomMs = 3_000;

/** When a refusal passes by itself: so many milliseconds to wait, else null. */
function waitAfter(error: unknown): number | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'too_many_runs') return waitForRoomMs;
  return error.status === 429 ? (error.retryAfterSeconds ?? 5) * 1000 : null;
}

/**
 * Asks every open prompt once, one after the other: two answers are written at a time. This page drives it; what it has
 * begun goes on without it, and a later visit goes on with the rest.
 */
export function useAskAll(id: number, prompts: readonly ComparisonPrompt[]) {
  const [isAsking, setIsAsking] = useState(false);
  const [isWaiting, setIsWaiting] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const asked = useRef(new Set<number>());
  const { mutate, isPending } = useAskPrompt(id);
  const overBudget = useRef(false);
  const isBusy = prompts.some(({ tuned, base }) => isUnderWay(tuned) || isUnderWay(base));

  useEffect(() => {
    if (!isAsking || isWaiting || isPending || isBusy) return;
    const next = prompts.find((prompt) => isOpen(prompt) && !asked.current.has(prompt.id));
    if (!next) {
      setIsAsking(false);
      return;
    }
    asked.current.add(next.id);
    mutate(
      { promptId: next.id, ...(overBudget.current && { overBudget: true }) },
      {
        onError: (error) => {
          asked.current.delete(next.id);
          if (waitAfter(error) !== null) {
            setIsWaiting(true);
            setProblem(error);
            return;
          }
          setProblem(error);
          setIsAsking(false);
        },
        onSuccess: () => setProblem(null),
      },
    );
  }, [isAsking, isWaiting, isPending, isBusy, prompts, mutate]);

  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setIsWaiting(false), waitAfter(problem) ?? 0);
    return () => clearTimeout(timer);
  }, [isWaiting, problem]);

  return {
    isAsking,
    /** Why it waits, or why it has ended. */
    problem,
    isWaiting,
    begin(insist = false) {
      overBudget.current = insist;
      asked.current = new Set();
      setProblem(null);
      setIsWaiting(false);
      setIsAsking(true);
    },
    end() {
      setIsAsking(false);
      setIsWaiting(false);
      setProblem(null);
    },
  };
}
