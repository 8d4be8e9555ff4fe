import type { File } from '@roster/contracts/files/files';
import { useFilePreview } from '#web/api/file-preview.ts';
import { fileAddress } from '#web/api/files.ts';
import { PreviewPanel } from '#web/components/preview-panel.tsx';
import { formatDateTime, formatMegabytes } from '#web/lib/format.ts';

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
