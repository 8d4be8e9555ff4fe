import { type ApprovalDecision, approvalReasonLimit, type DisplayedToolCall } from '@roster/contracts/chat';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ShieldQuestion } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { decideCall } from '#web/features/chat/shared/mutations.ts';
import { isEnter } from '#web/lib/keyboard/enter-key.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { argumentLines, argumentText, escapeInvisible } from './readable-arguments.ts';

export type ApprovalCardProps = {
  threadId: number;
  runId: number;
  call: DisplayedToolCall;
  /** Restores keyboard focus after a decision. */
  onDecided: () => void;
};

/** Asks whether a tool may be called, with its name, server and full arguments. */
export function ApprovalCard({ threadId, runId, call, onDecided }: ApprovalCardProps) {
  const headingId = useId();
  const client = useQueryClient();
  const decision = useMutation({
    mutationFn: (given: { decision: ApprovalDecision; reason?: string }) =>
      decideCall(client, threadId, { runId, callId: call.callId, ...given }),
    onSuccess: onDecided,
    onError: showFailure('Failed to save your decision'),
  });
  // A title reads as a sentence of its own: Call “Book a slot”?
  const tool = call.tool ?? call.name;
  const isTitled = call.title !== '' && call.title !== tool;
  const title = isTitled ? `“${escapeInvisible(call.title)}”` : escapeInvisible(tool);
  const mayHaveRun = call.state === 'uncertain';
  const sent = decision.isPending || decision.isSuccess ? decision.variables?.decision : undefined;
  return (
    <section
      aria-labelledby={headingId}
      className="my-2 grid grid-cols-1 gap-3 rounded-lg border border-border-strong bg-card p-4"
    >
      <div>
        <h4 id={headingId} className="wrap-anywhere flex items-start gap-2 font-medium">
          <ShieldQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
          <span className="min-w-0">
            {mayHaveRun ? 'Run' : 'Call'} <bdi>{title}</bdi>
            {mayHaveRun ? ' again?' : '?'}
          </span>
        </h4>
        <p className="wrap-anywhere ps-6 text-muted-foreground text-sm">
          {call.server !== null && (
            <>
              <bdi>{escapeInvisible(call.server)}</bdi> ·{' '}
            </>
          )}
          <bdi className="font-mono">{escapeInvisible(call.tool ?? call.name)}</bdi>
        </p>
      </div>
      {mayHaveRun && (
        <Notice tone="warning">
          Roster was interrupted during this call. The tool may have run already, and running it again may repeat its
          effect.
        </Notice>
      )}
      <Arguments json={call.input} />
      <Decision
        mayHaveRun={mayHaveRun}
        sent={sent}
        onDecide={(given, reason) => decision.mutate({ decision: given, ...(reason !== '' && { reason }) })}
      />
    </section>
  );
}

const scrolled = 'max-h-80 overflow-auto rounded-md border border-border bg-background';

function Arguments({ json }: { json: string }) {
  const lines = argumentLines(json);
  if (lines?.length === 0) return <p className="text-muted-foreground text-sm">No arguments.</p>;
  return (
    <section aria-label="Arguments" className="min-w-0">
      <h5 className="mb-1 text-muted-foreground text-xs">Arguments</h5>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than its place is scrolled by keyboard, too. */}
      <div tabIndex={0} className={scrolled}>
        {lines === null ? (
          <pre dir="ltr" className="wrap-anywhere whitespace-pre-wrap p-3 font-mono text-sm">
            {argumentText(json)}
          </pre>
        ) : (
          <dl className="divide-y divide-border text-sm">
            {lines.map(({ key, depth, name, value }) => (
              <div
                key={key}
                className="grid grid-cols-[minmax(6rem,1fr)_3fr] gap-3 px-3 py-1.5 max-md:grid-cols-1 max-md:gap-0"
              >
                <dt
                  style={{ paddingInlineStart: `${depth}rem` }}
                  className="wrap-anywhere min-w-0 text-muted-foreground"
                >
                  <bdi className="font-mono">{name}</bdi>
                </dt>
                <dd
                  style={value === null ? undefined : { paddingInlineStart: `${depth === 0 ? 0 : 0.25}rem` }}
                  className="wrap-anywhere min-w-0 whitespace-pre-wrap"
                >
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}

type DecisionProps = {
  mayHaveRun: boolean;
  /** The decision, until the run continues. */
  sent: ApprovalDecision | undefined;
  onDecide: (decision: ApprovalDecision, reason: string) => void;
};

function Decision({ mayHaveRun, sent, onDecide }: DecisionProps) {
  const isViewer = useUser().role === 'Viewer';
  const [isDenying, setDenying] = useState(false);
  const deny = useRef<HTMLButtonElement>(null);
  const wasDenying = useRef(false);
  useEffect(() => {
    if (wasDenying.current && !isDenying) deny.current?.focus();
    wasDenying.current = isDenying;
  }, [isDenying]);
  if (isDenying)
    return (
      <Denial
        isSent={sent === 'deny'}
        label={mayHaveRun ? 'Do Not Run Again' : 'Deny'}
        onDeny={(reason) => onDecide('deny', reason)}
        onCancel={() => setDenying(false)}
      />
    );
  const given = (decision: ApprovalDecision) => ({
    busy: sent === decision,
    disabled: sent !== undefined,
    className: 'max-md:h-11',
    onClick: () => onDecide(decision, ''),
  });
  return (
    <div className="flex flex-wrap items-center gap-2 max-md:flex-col max-md:items-stretch">
      {isViewer ? (
        <p className="basis-full text-muted-foreground text-sm">
          As a Viewer you can deny this call. Only Editors and Admins can approve calls.
        </p>
      ) : (
        <>
          <Button variant="primary" pendingLabel="Approving..." {...given('approve')}>
            {mayHaveRun ? 'Run Again' : 'Approve'}
          </Button>
          {!mayHaveRun && (
            <Button pendingLabel="Approving..." {...given('approve_thread')}>
              Approve for This Conversation
            </Button>
          )}
        </>
      )}
      <Button ref={deny} className="max-md:h-11" disabled={sent !== undefined} onClick={() => setDenying(true)}>
        {mayHaveRun ? 'Do Not Run Again' : 'Deny'}
      </Button>
    </div>
  );
}

type DenialProps = { isSent: boolean; label: string; onDeny: (reason: string) => void; onCancel: () => void };

/** A reason helps the model to continue differently. */
function Denial({ isSent, label, onDeny, onCancel }: DenialProps) {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Esc cancels this form, without stopping the answer.
      event.preventDefault();
      onCancel();
    }
    if (isEnter(event.nativeEvent) && (event.ctrlKey || event.metaKey) && !isSent) onDeny(reason.trim());
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed in its fields is heard here.
    <div className="grid gap-3" onKeyDown={keyDown}>
      <Field label="Reason, for the model (optional)" hint="Ctrl+Enter denies the call.">
        {(control) => (
          <Textarea
            {...control}
            ref={field}
            rows={2}
            maxLength={approvalReasonLimit}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2 max-md:flex-col">
        <Button
          variant="destructive"
          busy={isSent}
          pendingLabel="Denying..."
          className="max-md:h-11"
          onClick={() => onDeny(reason.trim())}
        >
          {label}
        </Button>
        <Button className="max-md:h-11" disabled={isSent} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
