import { isBlank } from '@roster/contracts/text/blank';
import { useCallback } from 'react';
import { readDraft, writeDraft } from '#web/lib/storage/drafts.ts';
import { currentUserId } from '#web/lib/storage/user-storage.ts';
import { createStore, useStore } from '#web/lib/store.ts';
import {
  type Attachment,
  attachedFiles,
  fromKeptText,
  isInProgress,
  keptText,
  type StoredFile,
} from './attachments.ts';

/** State of the message being written. */
export type ComposerState = {
  text: string;
  attachments: readonly Attachment[];
  /** Dropped or pasted, but not attached yet: the chunk for attachments is loading. */
  pendingFiles: readonly File[];
  /** The last pasted text that was too long for a message. */
  pasted: string;
  /** Sent but not confirmed; stored with the draft, so that a reload loses neither. */
  inFlight: string | null;
  /** Send was pressed while it had to wait. */
  sendQueued: boolean;
  /** Completes the text before it is sent; returns false to hold it back. null: it is complete. */
  finalize: (() => boolean) | null;
};

/** A message that the server does not have yet. `overBudget`: send it although a budget is used up. */
export type NewMessage = { text: string; files: readonly StoredFile[]; overBudget: boolean };

/** Lives outside React, so that components that load later find earlier input. */
export type ComposerStore = {
  get: () => ComposerState;
  set: (changes: Partial<ComposerState>) => void;
  watch: (listener: () => void, from: string) => () => void;
  /** Moves the composer to a new conversation's address, with everything written meanwhile. */
  moveTo: (place: string) => void;
};

const filesAt = (place: string) => `${place}:files`;
const joined = (sent: string, next: string) => (sent === '' ? next : isBlank(next) ? sent : `${sent}\n\n${next}`);

/** Per user, so that the next user sees nothing of it. */
const composers = new Map<string, ComposerStore>();
const keyOf = (place: string) => `${currentUserId()} ${place}`;
function forgetAt(place: string, composer: ComposerStore) {
  if (composers.get(keyOf(place)) === composer) composers.delete(keyOf(place));
}

/** The draft stored in this browser, so that a reload loses nothing. */
function keptDraft(place: string) {
  let text = readDraft(place);
  let files = readDraft(filesAt(place));
  return {
    text,
    attachments: fromKeptText(files),
    /** Text written on another page or in another tab since; empty if none. */
    writtenElsewhere() {
      const now = readDraft(place);
      return now === text ? '' : now;
    },
    write(nextText: string, nextFiles: string) {
      if (nextText !== text) writeDraft(place, nextText);
      if (nextFiles !== files) writeDraft(filesAt(place), nextFiles);
      text = nextText;
      files = nextFiles;
    },
    forget() {
      writeDraft(place, '');
      writeDraft(filesAt(place), '');
    },
  };
}

const isBusy = ({ inFlight, pendingFiles, attachments }: ComposerState) =>
  inFlight !== null || pendingFiles.length > 0 || attachments.some(isInProgress);

type OnSend = (message: NewMessage) => Promise<boolean>;

/** Clears the composer and sends its message. If that fails, the text returns, before anything written meanwhile. */
export async function submitDraft({ get, set }: ComposerStore, onSend: OnSend, overBudget: boolean): Promise<void> {
  const { text, attachments } = get();
  const files = attachedFiles(attachments);
  const isSentAlong = ({ id }: Attachment) => files.some((file) => file.id === id);
  const moved = (from: Attachment['state'], to: Attachment['state']) =>
    get().attachments.map((one) => (one.state === from && isSentAlong(one) ? { ...one, state: to } : one));
  set({ text: '', inFlight: text, sendQueued: false, pasted: '', attachments: moved('done', 'sending') });
  let isSent = false;
  try {
    isSent = await onSend({ text, files, overBudget });
  } finally {
    if (isSent) set({ inFlight: null, attachments: get().attachments.filter((one) => !isSentAlong(one)) });
    else set({ inFlight: null, text: joined(text, get().text), attachments: moved('sending', 'done') });
  }
}

function createComposer(firstPlace: string): ComposerStore {
  const owner = currentUserId();
  let place = firstPlace;
  let kept = keptDraft(place);
  const { text, attachments } = kept;
  const state = createStore<ComposerState>({
    text,
    attachments,
    pendingFiles: [],
    pasted: '',
    inFlight: null,
    sendQueued: false,
    finalize: null,
  });
  let watchers = 0;

  function keep() {
    if (owner !== currentUserId()) return;
    const now = state.get();
    kept.write(joined(now.inFlight ?? '', now.text), keptText(now.attachments));
  }

  /** Drops the store when it has no subscribers and no pending work. */
  function forgetUnwatched() {
    if (watchers === 0 && !isBusy(state.get())) forgetAt(place, self);
  }

  const self: ComposerStore = {
    get: state.get,
    set(changes) {
      state.set({ ...state.get(), ...changes });
      keep();
      forgetUnwatched();
    },
    watch(listener, from) {
      const leave = state.subscribe(listener);
      watchers += 1;
      const written = kept.writtenElsewhere();
      if (written !== '' && state.get().inFlight === null) self.set({ text: written });
      return () => {
        leave();
        watchers -= 1;
        if (from !== place) forgetAt(from, self);
        forgetUnwatched();
      };
    },
    moveTo(next) {
      if (owner !== currentUserId()) return;
      kept.forget();
      place = next;
      kept = keptDraft(place);
      composers.set(keyOf(place), self);
      keep();
    },
  };
  return self;
}

export function composerAt(place: string): ComposerStore {
  const known = composers.get(keyOf(place)) ?? createComposer(place);
  composers.set(keyOf(place), known);
  return known;
}

export function useComposer(place: string): ComposerState {
  const subscribe = useCallback((listener: () => void) => composerAt(place).watch(listener, place), [place]);
  return useStore({ get: () => composerAt(place).get(), subscribe });
}
