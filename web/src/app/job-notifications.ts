import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { jobQuery, openJobsQuery, useRefetchedJobs } from '#web/api/fine-tuning.ts';
import { useNotifyFinished } from '#web/api/use-notify.ts';
import { toast, toastError } from '#web/lib/toast.ts';

/** Notification text for a finished job; none for a cancelled one, which the user asked for. */
function ending({ name, status, notice }: Job): { title: string; body: string } | undefined {
  if (status === 'succeeded') return { title: 'Training finished', body: `${name} has its fine-tuned model.` };
  if (status === 'failed') return { title: 'Training failed', body: `${name}: ${notice ?? 'no model was created.'}` };
  return undefined;
}

/** Notifies when fine-tuning jobs finish, on any page. Costs one request if none is running. */
export function JobNotifications() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotifyFinished();
  const refetch = useRefetchedJobs();
  const open = useQuery(openJobsQuery).data;
  const before = useRef<readonly number[]>([]);
  const latest = useRef({ navigate, notify, refetch });
  useEffect(() => {
    latest.current = { navigate, notify, refetch };
  });

  useEffect(() => {
    if (!open) return;
    const ids = open.map(({ id }) => id);
    const ended = before.current.filter((id) => !ids.includes(id));
    before.current = ids;
    for (const id of ended) void client.fetchQuery({ ...jobQuery(id), staleTime: 0 }).then(tell, () => undefined);

    function tell(job: Job) {
      const said = ending(job);
      if (!said) return;
      const { id, status } = job;
      const show = status === 'failed' ? toastError : toast;
      show({
        title: said.title,
        description: said.body,
        duration: 12_000,
        action: {
          label: 'Show the job',
          onSelect: () => void latest.current.navigate({ to: '/fine-tuning/jobs/$id', params: { id } }),
        },
      });
      latest.current.notify({ ...said, path: `/fine-tuning/jobs/${id}` });
      void latest.current.refetch();
    }
  }, [open, client]);
  return null;
}
