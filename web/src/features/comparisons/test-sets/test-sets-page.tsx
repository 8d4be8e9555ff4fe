import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { assistantsQuery } from '#web/api/assistants.ts';
import { Page } from '#web/ui/page.tsx';
import { NewTestSet, TestSetList } from './test-set-list.tsx';

/** Test sets of an assistant. */
export function TestSetsPage({ assistantId }: { assistantId: number }) {
  return (
    <Page
      title="Test Sets"
      lead={<Lead assistantId={assistantId} />}
      action={<NewTestSet assistantId={assistantId} isForFilledList />}
    >
      <TestSetList assistantId={assistantId} />
    </Page>
  );
}

function Lead({ assistantId }: { assistantId: number }) {
  const name = useQuery(assistantsQuery).data?.find(({ id }) => id === assistantId)?.name;
  return (
    <>
      {name !== undefined && (
        <>
          <Link
            to="/settings"
            search={{ tab: 'assistants', edit: assistantId }}
            className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
          >
            <bdi>{name}</bdi>
          </Link>
          {' · '}
        </>
      )}
      Saved questions that show the effect of changing an assistant.
    </>
  );
}
