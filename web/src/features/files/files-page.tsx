import { Files } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Page } from '#web/ui/page.tsx';

export function FilesPage() {
  return (
    <Page title="File Management" lead="Upload and organize files for your assistants.">
      <EmptyState icon={Files} text="Files cannot be uploaded or managed in this version of Roster yet." />
    </Page>
  );
}
