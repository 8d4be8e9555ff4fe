import { isBlank } from '@roster/contracts/text/blank';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { CodeBlock } from '#web/ui/markdown/code-block.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { requestOf, type TriedAnswer, type TriedRequest, tryCall } from './try-call.ts';

const wholeSeconds = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** One message, sent as a program sends it, with both sides of the call. */
export function TryCard({ model }: { model: string }) {
  const [message, setMessage] = useState('Say hello in one sentence.');
  const [problem, setProblem] = useState<string>();
  const { mutate, data, error, isPending } = useTry();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = isBlank(message) ? 'Write a message' : undefined;
    setProblem(found);
    if (found === undefined && !isPending) mutate(requestOf(model, message));
  };
  return (
    <Card aria-label="Try it">
      <CardHeader
        title="Try it"
        description="Sends one message with an access token that lives a minute. It goes to your provider on your key and is counted in Analytics."
      />
      <CardBody>
        <form onSubmit={submit} className="grid grid-cols-1 gap-4" noValidate>
          <Field label="Message" error={problem}>
            {(control) => (
              <Textarea {...control} rows={2} value={message} onChange={(event) => setMessage(event.target.value)} />
            )}
          </Field>
          <Button type="submit" variant="primary" icon={Send} busy={isPending} className="w-fit max-sm:w-full">
            {isPending ? 'Sending...' : 'Send'}
          </Button>
        </form>
        {error && (
          <Notice tone="destructive" live className="mt-4" title="The call could not be made">
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
          title={status < 500 ? 'The call was refused' : 'The call failed'}
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
