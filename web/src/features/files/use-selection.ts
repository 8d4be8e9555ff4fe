import type { File } from '@roster/contracts/files/files';
import { useCallback, useState } from 'react';

/** Selection among the shown files. */
export function useSelection(files: readonly File[]) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const select = useCallback(
    (ids: readonly number[], isSelected: boolean) =>
      setSelected((before) => {
        const next = new Set(before);
        for (const id of ids) {
          if (isSelected) next.add(id);
          else next.delete(id);
        }
        return next;
      }),
    [],
  );
  return { selected, chosen: files.filter(({ id }) => selected.has(id)), select };
}
