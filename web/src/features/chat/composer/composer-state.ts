import { isBlank } from '@roster/contracts/blank';
import { useCallback, useSyncExternalStore } from 'react';
import {
  type Attachment,
  attachedFiles,
  fromKeptText,
  isUnderWay,
  keptText,
  type StoredFile,
} from '#web/features/chat/attachments/attachments.ts';
import { valuesOwner } from '#web/lib/browser-values.ts';
import { readDraft, writeDraft } from '#web/lib/drafts.ts';

/** The message that is being written at a place. */
export type ComposerState = {
  text: string;
  attachments: readonly Attachment[];
  /** Dropped or pasted, and not among the attachments yet: the code that takes them is on its way. */
  offered: readonly File[];
  /** The last text that was pasted and is too long for a message. */
  pasted: string;
  /** Sent, and not known to have arrived: kept with what is written after it, so that a reload loses neither. */
  underWay: string | null;
  /** Send was pressed while it had to wait. */
  wanted: boolean;
};

/** Stands above whatever shows it, so that parts that are loaded later find all that was written before. */
export type ComposerStore = {
  get: () => ComposerState;
  set: (changes: Partial<ComposerState>) => void;
  watch: (listener: () => void, from: string) => () => void;
  /** Empties the composer; what `post` could not send stands in it again, before what was written meanwhile. */
  send: (post: (text: string, files: readonly StoredFile[]) => Promise<boolean>) => Promise<void>;
  /** A new conversation has got its own address: what is written meanwhile goes along, whichever component shows it. */
  moveTo: (place: string) => void;
};

const filesAt = (place: string) => `${place}:files`;
const joined = (sent: string, next: string) => (sent === '' ? next : isBlank(next) ? sent : `${sent}\n\n${next}`);

/** Of one person: who signs in next finds nothing of what was written before. */
const composers = new Map<string, ComposerStore>();
const keyOf = (place: string) => `${valuesOwner()} ${place}`;

function createComposer(firstPlace: string): ComposerStore {
  const owner = valuesOwner();
  let place = firstPlace;
  let keptDraft = readDraft(place);
  let keptFiles = readDraft(filesAt(place));
  let state: ComposerState = {
    text: keptDraft,
    attachments: fromKeptText(keptFiles),
    offered: [],
    pasted: '',
    underWay: null,
    wanted: false,
  };
  const listeners = new Set<() => void>();

  function keep() {
    if (owner !== valuesOwner()) return;
    const draft = joined(state.underWay ?? '', state.text);
    const files = keptText(state.attachments);
    if (draft !== keptDraft) writeDraft(place, draft);
    if (files !== keptFiles) writeDraft(filesAt(place), files);
    keptDraft = draft;
    keptFiles = files;
  }

  /** What nobody looks at stays only while something of it is on its way. */
  function forgetUnwatched() {
    if (listeners.size > 0 || state.underWay !== null || state.offered.length > 0) return;
    if (state.attachments.some(isUnderWay)) return;
    forgetAt(place);
  }

  function forgetAt(left: string) {
    if (composers.get(keyOf(left)) === self) composers.delete(keyOf(left));
  }

  function set(changes: Partial<ComposerState>) {
    state = { ...state, ...changes };
    keep();
    for (const listener of listeners) listener();
    forgetUnwatched();
  }

  const moved = (ids: readonly number[], from: Attachment['state'], to: Attachment['state']) =>
    state.attachments.map((one) =>
      one.state === from && one.id !== null && ids.includes(one.id) ? { ...one, state: to } : one,
    );

  const self: ComposerStore = {
    get: () => state,
    set,
    watch(listener, from) {
      listeners.add(listener);
      // Written elsewhere meanwhile: on another page, in another tab.
      const draft = readDraft(place);
      if (draft !== '' && draft !== keptDraft && state.underWay === null) set({ text: draft });
      return () => {
        listeners.delete(listener);
        if (from !== place) forgetAt(from);
        forgetUnwatched();
      };
    },
    async send(post) {
      const { text } = state;
      const files = attachedFiles(state.attachments);
      const ids = files.map(({ id }) => id);
      set({ text: '', underWay: text, wanted: false, pasted: '', attachments: moved(ids, 'done', 'sending') });
      let isSent = false;
      try {
        isSent = await post(text, files);
      } finally {
        if (isSent) {
          const attachments = state.attachments.filter(({ id }) => id === null || !ids.includes(id));
          set({ underWay: null, attachments });
        } else {
          const attachments = moved(ids, 'sending', 'done');
          set({ underWay: null, text: joined(text, state.text), attachments });
        }
      }
    },
    moveTo(next) {
      if (owner !== valuesOwner()) return;
      writeDraft(place, '');
      writeDraft(filesAt(place), '');
      place = next;
      keptDraft = readDraft(place);
      keptFiles = readDraft(filesAt(place));
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
  const watch = useCallback((listener: () => void) => composerAt(place).watch(listener, place), [place]);
  const now = () => composerAt(place).get();
  return useSyncExternalStore(watch, now, now);
}
