import type { File } from '@roster/contracts/files/files';
import { useQuery } from '@tanstack/react-query';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { filesAtProviderQuery } from './account-queries.ts';

const maxNamed = 5;

type ProviderFilesProps = { checked: boolean; onChange: (checked: boolean) => void };

/** Files that Roster uploaded to the provider, with an option to delete them there; nothing if there are none. */
export function ProviderFiles({ checked, onChange }: ProviderFilesProps) {
  const provider = useProviderName();
  const { data } = useQuery(filesAtProviderQuery);
  if (!data || data.files.length === 0) return null;
  const { files, areAll } = data;
  const count = areAll ? `are ${files.length}` : `are at least ${files.length}`;
  return (
    <Checkbox
      label={`Also delete my files at ${provider}`}
      description={
        <>
          There {areAll && files.length === 1 ? 'is one' : count}: <span className="wrap-anywhere">{names(files)}</span>
          . Otherwise they stay in your account there.
        </>
      }
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function names(files: File[]): string {
  const shown = files.slice(0, maxNamed).map(({ filename }) => filename);
  const more = files.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
