import { isBlank } from '@roster/contracts/text/blank';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { z } from 'zod';
import { errorText } from '#web/lib/api-client.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { CodeBlock } from '#web/ui/markdown/code/code-block.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { requestOf, type TriedAnswer, type TriedRequest, tryCall } from './try-call.ts';

const wholeSeconds = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 });

const TryForm = z.object({ message: z.string().refine((text) => !isBlank(text), 'Write a message') });

/** Sends one message as an API client does, and shows request and response. */
export function TryCard({ model }: { model: string }) {
  const form = useSchemaForm(TryForm, { message: 'Say hello in one sentence.' }, { shouldFocusError: false });
  const { mutate, data, error, isPending } = useTry();
  const submit = form.handleSubmit(({ message }) => {
    if (!isPending) mutate(requestOf(model, message));
  });
  return (
    <Card aria-label="Try it">
      <CardHeader
        title="Try it"
        description="Sends one message to your provider with your key, using an access token that expires after a minute. The cost appears in Analytics."
      />
      <CardBody>
        <form onSubmit={submit} className="grid grid-cols-1 gap-4" noValidate>
          <Field label="Message" error={form.formState.errors.message?.message}>
            {(control) => <Textarea {...control} {...form.register('message')} rows={2} />}
          </Field>
          <Button type="submit" variant="primary" icon={Send} busy={isPending} className="w-fit max-sm:w-full">
            {isPending ? 'Sending...' : 'Send'}
          </Button>
        </form>
        {error && (
          <Notice tone="destructive" live className="mt-4" title="Failed to send the request">
            {errorText(error)}
          </Notice>
        )}
        {data && <Tried {...data} />}
      </CardBody>
    </Card>
  );
}

/** Only the newest call counts; leaving the page or starting another aborts it. */
function useTry() {
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return useMutation({
    mutationFn: async (request: TriedRequest) => {
      running.current?.abort();
      running.current = new AbortController();
      return { request, answer: await tryCall(request.body, running.current.signal) };
    },
    gcTime: 0,
  });
}

function Tried({ request, answer }: { request: TriedRequest; answer: TriedAnswer }) {
  const { status, seconds, text, refusal } = answer;
  const head = `POST ${request.address}\nAuthorization: Bearer rst_…\nContent-Type: application/json\n\n`;
  return (
    <div role="status" className="mt-5 grid grid-cols-1 gap-5 lg:grid-cols-2">
      {refusal !== null && (
        <Notice
          tone="destructive"
          title={status < 500 ? 'The request was refused' : 'The request failed'}
          className="lg:col-span-2"
        >
          {refusal}
        </Notice>
      )}
      <section aria-label="Request" className="min-w-0">
        <h3 className="mb-2 font-medium">Request</h3>
        <CodeBlock language="http" text={`${head}${request.body}`} />
      </section>
      <section aria-label="Answer" className="min-w-0">
        <h3 className="mb-2 font-medium">
          Answer{' '}
          <span className="font-normal text-muted-foreground tabular-nums">
            {status} · {wholeSeconds.format(seconds)} s
          </span>
        </h3>
        <CodeBlock language="json" text={text} />
      </section>
    </div>
  );
}
