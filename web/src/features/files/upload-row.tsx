import { CircleAlert, CircleCheck, FileText, RotateCw, X } from 'lucide-react';
import { isJsonl } from '#web/api/uploads/rules.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Select } from '#web/ui/forms/select.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { purposeChoices, purposeExplanations, purposeNames } from './purposes.ts';
import { formatRate, formatRemaining } from './transfer-rate.ts';
import { canRetry, type ListedUpload, type UploadList, type UploadState } from './upload-list.ts';

const icons: Partial<Record<UploadState, typeof FileText>> = {
  done: CircleCheck,
  failed: CircleAlert,
  refused: CircleAlert,
};
const looks: Partial<Record<UploadState, string>> = {
  done: 'text-success-text',
  failed: 'text-destructive-text',
  refused: 'text-destructive-text',
};

/** Type of a file by its MIME type or extension. */
const kindOf = ({ name, type }: File) => type || (/\.(\w{1,10})$/.exec(name)?.[1]?.toUpperCase() ?? 'Unknown type');

export function UploadRow({ upload, list }: { upload: ListedUpload; list: UploadList }) {
  const { key, file, purpose, state } = upload;
  const IconPart = icons[state] ?? FileText;
  return (
    <li className="flex gap-3 px-3.5 py-3 max-sm:flex-wrap">
      <span className="flex h-5 items-center">
        <IconPart aria-hidden className={classNames('size-4', looks[state] ?? 'text-muted-foreground')} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={file.name}>
          {file.name}
        </p>
        <p className="truncate text-muted-foreground text-sm tabular-nums">
          {formatMegabytes(file.size)} · {kindOf(file)}
        </p>
        <UploadStatus upload={upload} />
      </div>
      {state === 'waiting' && (
        <Select
          aria-label={`Purpose of ${file.name}`}
          value={purpose}
          onChange={({ currentTarget: { value } }) => {
            const chosen = purposeChoices.find((choice) => choice.value === value);
            if (chosen) list.setPurpose(key, chosen.value);
          }}
          className="w-36 shrink-0 self-start max-sm:order-last max-sm:w-full"
        >
          {purposeChoices.map(({ value, name }) => (
            <option key={value} value={value} disabled={value === 'fine-tune' && !isJsonl(file.name)}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <UploadActions upload={upload} list={list} />
    </li>
  );
}

function UploadStatus({ upload: { file, purpose, state, reason, sent, rate } }: { upload: ListedUpload }) {
  const line = 'mt-0.5 text-sm tabular-nums';
  const quiet = classNames(line, 'text-muted-foreground');
  switch (state) {
    case 'waiting':
      return <p className={quiet}>{purposeExplanations[purpose]}</p>;
    case 'uploading': {
      const isSent = sent >= file.size;
      const speed = rate ? ` · ${formatRate(rate)} · ${formatRemaining(file.size - sent, rate)}` : '';
      return (
        <>
          <ProgressBar label={`Upload of ${file.name}`} percent={(sent / file.size) * 100} className="mt-2" />
          <p className={classNames(quiet, 'mt-1.5')}>
            {isSent ? 'Sent; being stored' : `${formatMegabytes(sent)} of ${formatMegabytes(file.size)}${speed}`}
          </p>
        </>
      );
    }
    case 'done':
      return <p className={quiet}>{`Uploaded for ${purposeNames[purpose].toLowerCase()}`}</p>;
    case 'cancelled':
      return <p className={quiet}>Cancelled</p>;
    case 'paused':
      return <p className={quiet}>{reason}</p>;
    default:
      return <p className={classNames(line, 'text-destructive-text')}>{reason}</p>;
  }
}

function UploadActions({ upload, list }: { upload: ListedUpload; list: UploadList }) {
  const { key, file, state } = upload;
  if (state === 'done') return null;
  const isInProgress = state === 'uploading' || state === 'paused';
  return (
    <div className="flex shrink-0 gap-1">
      {canRetry(upload) && (
        <IconButton label={`Retry ${file.name}`} icon={RotateCw} size="sm" onClick={() => list.retry(key)} />
      )}
      <IconButton
        label={isInProgress ? `Cancel ${file.name}` : `Remove ${file.name}`}
        icon={X}
        size="sm"
        onClick={() => (isInProgress ? list.cancel(key) : list.remove(key))}
      />
    </div>
  );
}
