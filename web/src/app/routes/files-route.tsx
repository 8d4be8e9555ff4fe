import { useNavigate, useSearch } from '@tanstack/react-router';
import { FilesPage } from '#web/features/files/files-page.tsx';

export function FilesRoute() {
  const { upload, ...search } = useSearch({ from: '/signed-in/files' });
  const { q = '', sort = 'newest', purpose = null } = search;
  const navigate = useNavigate();
  return (
    <FilesPage
      key={upload ? 'upload' : 'list'}
      isUploading={upload ?? false}
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
