import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { FilesPage } from '#web/features/files/files-page.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Opens the upload dialog of the files page. */
    isUploading?: boolean;
  }
}

export function FilesRoute() {
  const search = useSearch({ from: '/signed-in/files' });
  // In the history entry, not in the address: a link that others follow should not open a dialog.
  const isUploading = useRouterState({ select: ({ location }) => location.state.isUploading ?? false });
  const { q = '', sort = 'newest', purpose = null } = search;
  const navigate = useNavigate();
  return (
    <FilesPage
      key={isUploading ? 'upload' : 'list'}
      isUploading={isUploading}
      onUploadEnd={() => void navigate({ to: '/files', search, replace: true })}
      view={{ q, sort, purpose }}
      // Replace, so that Back leaves the page instead of undoing each letter of a search.
      onViewChange={(next) =>
        void navigate({
          to: '/files',
          search: {
            ...(next.q !== '' && { q: next.q }),
            ...(next.sort !== 'newest' && { sort: next.sort }),
            ...(next.purpose !== null && { purpose: next.purpose }),
          },
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
