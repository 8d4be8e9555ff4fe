import { isBlank } from '@roster/contracts/text/blank';
import { useCallback } from 'react';
import {
  type Attachment,
  attachedFiles,
  isUploading,
  parseAttachments,
  type StoredFile,
  serializeAttachments,
} from '#web/features/chat/attachments/attachments.ts';
import { readDraft, writeDraft } from '#web/lib/drafts.ts';
import { createStore, useStore } from '#web/lib/store.ts';
import { currentUserId } from '#web/lib/user-storage.ts';

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

type Post = (text: string, files: readonly StoredFile[]) => Promise<boolean>;

/** Stands above whatever shows it, so that parts that are loaded later find all that was written before. */
export type ComposerStore = {
  get: () => ComposerState;
  set: (changes: Partial<ComposerState>) => void;
  watch: (listener: () => void, from: string) => () => void;
  /** Empties the composer; what `post` could not send stands in it again, before what was written meanwhile. */
  send: (post: Post) => Promise<void>;
  /** A new conversation has got its own address: what is written meanwhile goes along, whichever component shows it. */
  moveTo: (place: string) => void;
};

const filesAt = (place: string) => `${place}:files`;
const joined = (sent: string, next: string) => (sent === '' ? next : isBlank(next) ? sent : `${sent}\n\n${next}`);

/** Of one person: who signs in next finds nothing of what was written before. */
const composers = new Map<string, ComposerStore>();
const keyOf = (place: string) => `${currentUserId()} ${place}`;
function forgetAt(place: string, composer: ComposerStore) {
  if (composers.get(keyOf(place)) === composer) composers.delete(keyOf(place));
}

/** What this browser keeps of the message at a place, so that a reload loses nothing of it. */
function storedDraft(place: string) {
  let text = readDraft(place);
  let files = readDraft(filesAt(place));
  return {
    text,
    attachments: parseAttachments(files),
    /** What was written on another page or in another tab meanwhile; empty: nothing. */
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

const hasPendingWork = ({ underWay, offered, attachments }: ComposerState) =>
  underWay !== null || offered.length > 0 || attachments.some(isUploading);

async function sendFrom({ get, set }: Pick<ComposerStore, 'get' | 'set'>, post: Post): Promise<void> {
  const { text, attachments } = get();
  const files = attachedFiles(attachments);
  const isSentAlong = ({ id }: Attachment) => files.some((file) => file.id === id);
  const moved = (from: Attachment['state'], to: Attachment['state']) =>
    get().attachments.map((one) => (one.state === from && isSentAlong(one) ? { ...one, state: to } : one));
  set({ text: '', underWay: text, wanted: false, pasted: '', attachments: moved('done', 'sending') });
  let isSent = false;
  try {
    isSent = await post(text, files);
  } finally {
    if (isSent) set({ underWay: null, attachments: get().attachments.filter((one) => !isSentAlong(one)) });
    else set({ underWay: null, text: joined(text, get().text), attachments: moved('sending', 'done') });
  }
}

function createComposer(firstPlace: string): ComposerStore {
  const owner = currentUserId();
  let place = firstPlace;
  let kept = storedDraft(place);
  const { text, attachments } = kept;
  const state = createStore<ComposerState>({
    text,
    attachments,
    offered: [],
    pasted: '',
    underWay: null,
    wanted: false,
  });
  let watchers = 0;

  function keep() {
    if (owner !== currentUserId()) return;
    const now = state.get();
    kept.write(joined(now.underWay ?? '', now.text), serializeAttachments(now.attachments));
  }

  /** What nobody looks at stays only while something of it is on its way. */
  function forgetUnwatched() {
    if (watchers === 0 && !hasPendingWork(state.get())) forgetAt(place, self);
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
      if (written !== '' && state.get().underWay === null) self.set({ text: written });
      return () => {
        leave();
        watchers -= 1;
        if (from !== place) forgetAt(from, self);
        forgetUnwatched();
      };
    },
    send: (post) => sendFrom(self, post),
    moveTo(next) {
      if (owner !== currentUserId()) return;
      kept.forget();
      place = next;
      kept = storedDraft(place);
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
