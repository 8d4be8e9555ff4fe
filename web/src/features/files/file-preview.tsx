import type { File } from '@roster/contracts/files';
import { useFilePreview } from '#web/data/file-preview.ts';
import { fileAddress } from '#web/data/files.ts';
import { formatDateTime, formatMegabytes } from '#web/lib/format.ts';
import { PreviewPanel } from '#web/parts/preview-panel.tsx';

export function FilePreview({ file, onClose }: { file: File; onClose: () => void }) {
  const { id, filename, size, date } = file;
  return (
    <PreviewPanel
      filename={filename}
      description={`${formatMegabytes(size)}, uploaded ${formatDateTime(date)}`}
      address={fileAddress(id)}
      query={useFilePreview(id, filename)}
      onClose={onClose}
    />
  );
}
