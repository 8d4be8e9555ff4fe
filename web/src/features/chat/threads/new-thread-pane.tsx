import type { ThreadTools } from '@roster/contracts/assistants/tools';
import type { Thread } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { clearSendRequest, hasPendingQuestion, newThreadDraftKey } from '#web/api/pending-question.ts';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import type { StartProject } from '#web/features/chat/projects/project-notice.tsx';
import { changesSearch } from '#web/features/chat/search/search-address.ts';
import { composerAt, type NewMessage } from '#web/features/chat/shared/composer-state.ts';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';
import type { PendingMessage } from '#web/features/chat/shared/message-changes.ts';
import { type Choice, chatTargetOf, placeholderFor, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { whenAppReady } from '#web/lib/app-ready.ts';
import { lazyModule } from '#web/lib/lazy.ts';
import { readDraft, writeDraft } from '#web/lib/storage/drafts.ts';
import { readStoredJson, writeStored } from '#web/lib/storage/storage.ts';
import { Greeting } from './greeting.tsx';
import { PaneHeader } from './pane-header.tsx';

/**
 * Model of the user's last conversation without an assistant, used for the next one. Reset by a conversation with an
 * assistant or a new default assistant.
 */
const keyOf = (userId: number) => `chat-model:${userId}`;

function rememberChoice(userId: number, { assistantId, model }: Choice, defaultId: number | null): void {
  const isPlainModel = assistantId === null && model !== null;
  writeStored(keyOf(userId), isPlainModel ? JSON.stringify([model, defaultId]) : null);
}

function rememberedModel(userId: number, defaultId: number | null): string | null {
  const kept = readStoredJson(keyOf(userId));
  if (!Array.isArray(kept) || kept[1] !== defaultId) return null;
  return typeof kept[0] === 'string' ? kept[0] : null;
}

const firstMessage = lazyModule(() => whenAppReady(() => import('./first-message.tsx')));
// Loaded shortly after; messages sent earlier wait for it.
firstMessage.preload();

type NewThreadPaneProps = {
  /** The user's choice; undefined for the chat target of the last conversation, or the default assistant. */
  choice: Choice | undefined;
  onBack: () => void;
  onStarted: (threadId: number) => void;
  /** It stays in its project. */
  onChoose: (choice: Choice, projectId: number | undefined) => void;
  /** The project that it starts in. */
  projectId: number | undefined;
  /** Asked side by side at first, with example questions. */
  models: readonly string[] | undefined;
};

const place = newThreadDraftKey;

/** The chat target: the user's choice, else the project's, else that of the last conversation, else the default assistant. */
function useNewThreadTarget(choice: Choice | undefined, projectId: number | undefined) {
  const known = useChatTargets();
  const userId = useUser().id;
  const defaultId = known?.defaultTarget.assistantId ?? null;
  const remembered = known && rememberedModel(userId, defaultId);
  const [project, setProject] = useState<StartProject>();
  const current =
    choice ??
    (project && project.id === projectId ? project.choice : null) ??
    (remembered ? { assistantId: null, model: remembered } : { assistantId: defaultId, model: null });
  return {
    current,
    chatTarget: chatTargetOf(known, current),
    // The default is known in a moment; Enter pressed before that must not skip the assistant.
    isKnown: choice !== undefined || (known !== undefined && (projectId === undefined || project?.id === projectId)),
    // A project has its own default, which is not the next conversation's.
    remember: () => projectId === undefined && rememberChoice(userId, current, defaultId),
    setProject,
  };
}

const toolsKey = `${place}:tools`;
/** Stored beside the draft, so that a reload keeps both. */
const keepTools = (tools: ThreadTools | null) => writeDraft(toolsKey, tools ? JSON.stringify(tools) : '');
function keptTools(): ThreadTools | null {
  try {
    return JSON.parse(readDraft(toolsKey) || 'null');
  } catch {
    return null;
  }
}

/** Tools chosen before the conversation exists. */
function useNewThreadTools({ assistantId, model }: Choice) {
  const [tools, setTools] = useState(keptTools);
  const onSwitch = (next: ThreadTools | null) => {
    keepTools(next);
    setTools(next);
  };
  return { tools, composerTools: { assistantId, model, switched: tools ?? {}, onSwitch } };
}

const temporaryKey = `${place}:temporary`;

/** Stored beside the draft, so that a reload does not make it an ordinary conversation. A question from Home is one. */
function useTemporary() {
  const [isTemporary, setTemporary] = useState(() => !hasPendingQuestion() && readDraft(temporaryKey) !== '');
  const change = (next: boolean) => {
    writeDraft(temporaryKey, next ? 'yes' : '');
    setTemporary(next);
  };
  return [isTemporary, change] as const;
}

function useIsHere() {
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}

type Beginning = {
  current: Choice;
  /** Models the message is sent to, if several. */
  selectedModels: readonly string[];
  isTemporary: boolean;
  projectId: number | undefined;
  remember: () => void;
  onStarted: (threadId: number) => void;
};

/** Creates the conversation with its first message. */
function useFirstMessage({ current, selectedModels, isTemporary, projectId, remember, onStarted }: Beginning) {
  const client = useQueryClient();
  const { tools, composerTools } = useNewThreadTools(current);
  const [failure, setFailure] = useState<unknown>(null);
  /** Created by an earlier attempt whose message did not arrive. */
  const [thread, setThread] = useState<Thread | null>(null);
  /** Stays until the conversation itself is shown. */
  const [pending, setPending] = useState<PendingMessage | null>(null);
  const isHere = useIsHere();
  const sendFirst = async (message: NewMessage) => {
    const { pendingMessage, startThread, UnfinishedStart } = await firstMessage.load();
    setPending(pendingMessage(undefined, message, null));
    setFailure(null);
    try {
      const isSameStart =
        thread?.assistantId === current.assistantId &&
        thread.model === current.model &&
        (thread.temporary ?? false) === isTemporary &&
        thread.projectId === projectId &&
        JSON.stringify(thread.tools ?? null) === JSON.stringify(tools);
      const made = await startThread(client, message, {
        place,
        choice: current,
        tools,
        models: selectedModels,
        temporary: isTemporary,
        projectId,
        thread: isSameStart ? thread : null,
      });
      remember();
      keepTools(null);
      writeDraft(temporaryKey, '');
      if (isHere.current) {
        composerAt(place).moveTo(`chat:${made.id}`);
        onStarted(made.id);
      }
      return true;
    } catch (error) {
      setFailure(error);
      setThread(error instanceof UnfinishedStart ? error.thread : null);
      setPending(null);
      return false;
    }
  };
  return { sendFirst, pending, failure, tools: composerTools };
}

/** Focuses the message field after choosing a chat target, and on New Chat while one is open. */
function useFocusOnMessage(box: RefObject<HTMLTextAreaElement | null>, choice: Choice | undefined) {
  const router = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: choosing an assistant leads on to the message
  useEffect(() => focusUnlessTouch(box.current), [choice?.assistantId, choice?.model]);
  useEffect(
    () => router.subscribe('onResolved', (change) => changesSearch(change) || focusUnlessTouch(box.current)),
    [router, box],
  );
}

/** Asked on another page, such as Home: its text is in the draft already; send it. */
function usePendingQuestion() {
  useEffect(() => {
    if (hasPendingQuestion()) composerAt(place).set({ sendQueued: true });
    clearSendRequest();
  }, []);
}

/** Several models to ask, until one chat target is chosen. */
function useSelectedModels({ onChoose, projectId, models = [] }: NewThreadPaneProps) {
  const [selectedModels, setSelectedModels] = useState<readonly string[]>(models);
  const choose = (next: Choice) => {
    setSelectedModels([]);
    onChoose(next, projectId);
  };
  return { selectedModels, setSelectedModels, choose };
}

/** Models side by side are compared without an assistant's instructions. */
const plainModel: Choice = { assistantId: null, model: null };

/** A conversation that starts with its first message. */
export function NewThreadPane(props: NewThreadPaneProps) {
  const { models, choice = models && plainModel, onBack, onStarted, projectId } = props;
  const parts = firstMessage.use();
  const { selectedModels, setSelectedModels, choose } = useSelectedModels(props);
  const { current, chatTarget, isKnown, remember, setProject } = useNewThreadTarget(choice, projectId);
  const [isTemporary, setTemporary] = useTemporary();
  const beginning = { current, selectedModels, isTemporary, projectId, remember, onStarted };
  const { sendFirst, pending, failure, tools } = useFirstMessage(beginning);
  const box = useRef<HTMLTextAreaElement>(null);
  usePendingQuestion();
  useFocusOnMessage(box, choice);

  const notice =
    parts &&
    ((sendOverBudget: () => void) => (
      <parts.ComposerNotices
        selectedModels={selectedModels}
        onAskOne={() => setSelectedModels([])}
        failure={failure}
        onSendOverBudget={sendOverBudget}
        needsKey
        assistantId={chatTarget?.assistantId ?? null}
        projectId={projectId}
        isAnswering={false}
      />
    ));
  const modelSelection = { models: selectedModels, onChoose: setSelectedModels };
  const first = pending && parts && <parts.FirstQuestion pending={pending} />;
  return (
    <section aria-label="New conversation" className="relative flex h-full min-h-0 flex-col">
      <title>Chat · Roster</title>
      <PaneHeader
        onBack={onBack}
        title={<h2 className="min-w-0 flex-1 truncate font-medium">New conversation</h2>}
        chatTarget={parts && <parts.ChatTargetMenu {...{ current, modelSelection }} onChoose={choose} />}
        action={parts && <parts.TemporarySwitch isOn={isTemporary} onChange={setTemporary} />}
      />
      {projectId !== undefined && parts && <parts.ProjectNotice projectId={projectId} onKnown={setProject} />}
      {isTemporary && parts && <parts.TemporaryNotice />}
      {first ?? (
        <Greeting {...{ place, chatTarget }} modelCount={selectedModels.length} hasExamples={models !== undefined} />
      )}
      <Composer
        ref={box}
        place={place}
        placeholder={placeholderFor(chatTarget)}
        onSend={sendFirst}
        sending={pending !== null}
        waiting={!parts || !isKnown}
        temporary={isTemporary}
        tools={isKnown ? tools : undefined}
        notice={notice}
        compare={parts && ((onChosen) => <parts.CompareButton {...{ current, modelSelection, onChosen }} />)}
      />
    </section>
  );
}
