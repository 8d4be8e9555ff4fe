import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { AssistantVersionDetail } from '@roster/contracts/assistants/versions';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { Difference, WholeVersion } from './difference.tsx';
import { allFields, fieldDifferences } from './field-texts.ts';
import { versionQuery } from './queries.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** Compares with the previous or the current version. */
export type Comparison = 'before' | 'now';

type ShownVersionProps = {
  assistant: Assistant;
  number: number;
  /** The previous stored version; undefined if there is none. */
  previous: number | undefined;
  comparison: Comparison;
  onCompare: (comparison: Comparison) => void;
  /** Reason why restoring is not possible. */
  blocked: string | undefined;
  onRestored: (assistant: Assistant) => void;
};

/** Shows what a version changed, or how it differs from the current one, with Restore. */
export function ShownVersion(props: ShownVersionProps) {
  const { assistant, number, previous, comparison, onCompare, blocked, onRestored } = props;
  const { id, version: current } = assistant;
  const isCurrent = number === current;
  const kind = isCurrent ? 'before' : comparison;
  const version = useQuery(versionQuery(id, number));
  const now = useQuery(versionQuery(id, current));
  const before = useQuery({ ...versionQuery(id, previous ?? number), enabled: previous !== undefined });
  const failed = [version, now, before].find(({ isError }) => isError);
  return (
    <>
      {!isCurrent && (
        <RadioGroup
          label="Compare it"
          hideLabel
          layout="row"
          value={kind}
          onValueChange={onCompare}
          options={[
            { value: 'before', label: 'Changes in this version' },
            { value: 'now', label: 'Compared with now' },
          ]}
        />
      )}
      <div className="mt-5">
        {failed ? (
          <RetryNotice tone="destructive" live query={failed}>
            {errorText(failed.error, 'Failed to load the version.')}
          </RetryNotice>
        ) : version.data && now.data && (previous === undefined || before.data) ? (
          <Compared
            version={version.data}
            other={kind === 'now' ? now.data : previous === undefined ? undefined : before.data}
            kind={kind}
          />
        ) : (
          <SpinnerPanel label="Loading the version" className="min-h-40" />
        )}
      </div>
      {!isCurrent && version.data && now.data && (
        <Restoring
          assistant={assistant}
          version={version.data}
          now={now.data}
          blocked={blocked}
          onRestored={onRestored}
        />
      )}
    </>
  );
}

type RestoringProps = Pick<ShownVersionProps, 'assistant' | 'blocked' | 'onRestored'> & {
  version: AssistantVersionDetail;
  /** The current version. */
  now: AssistantVersionDetail;
};

function Restoring({ assistant, version, now, blocked, onRestored }: RestoringProps) {
  const [isAsking, setAsking] = useState(false);
  const { reason } = useEditAccess();
  const isSame = fieldDifferences(version, now).length === 0;
  return (
    <div className="mt-6">
      <Button
        variant="primary"
        disabledReason={reason ?? blocked ?? (isSame ? 'Same as the current version' : undefined)}
        onClick={() => setAsking(true)}
      >
        Restore this version
      </Button>
      {isAsking && <RestoreDialog {...{ assistant, version, now, onRestored }} onClose={() => setAsking(false)} />}
    </div>
  );
}

type ComparedProps = { version: AssistantVersionDetail; other: AssistantVersionDetail | undefined; kind: Comparison };

function Compared({ version, other, kind }: ComparedProps) {
  if (!other) return <WholeVersion fields={allFields(version)} />;
  const name = (one: AssistantVersionDetail) => `Version ${one.number}`;
  const [from, to] = kind === 'now' ? [version, other] : [other, version];
  const fields = fieldDifferences(from, to);
  if (fields.length === 0) return <p className="text-muted-foreground">No differences.</p>;
  return <Difference fields={fields} before={name(from)} after={name(to)} />;
}
