import type { File } from '@roster/contracts/files/files';
import { Trash2 } from 'lucide-react';
import { formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';

type SelectionBarProps = {
  isShown: boolean;
  files: readonly File[];
  chosen: readonly File[];
  onSelectAll: (isSelected: boolean) => void;
  onDelete: () => void;
};

/** Always mounted, so that selecting the first file does not move the list. */
export function SelectionBar({ isShown, files, chosen, onSelectAll, onDelete }: SelectionBarProps) {
  const count = chosen.length;
  if (!isShown) return <div className="mt-3" />;
  const areAll = count > 0 && count === files.length;
  return (
    <div className="mt-3 mb-2 flex h-8 items-center justify-between gap-3 ps-[21px] text-sm">
      <Checkbox
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !areAll;
        }}
        label={count > 0 ? `${formatNumber(count)} selected` : 'Select all shown'}
        checked={areAll}
        disabled={files.length === 0}
        onChange={(event) => onSelectAll(event.currentTarget.checked)}
      />
      {count > 0 && (
        <Button size="sm" icon={Trash2} onClick={onDelete}>
          Delete Selected
        </Button>
      )}
    </div>
  );
}
