import { useMutation } from '@tanstack/react-query';
import { Sparkles } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { useModelName } from '#web/api/use-model-name.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { type Drafted, describeAssistant } from './describe.ts';

type DescribeCardProps = { model: string; onDrafted: (drafted: Drafted) => void };

const examples = 'For example: an assistant that answers questions about our return policy, friendly and brief';

/** A model drafts the assistant from a sentence. The draft is shown in the form; nothing is saved. */
export function DescribeCard({ model, onDrafted }: DescribeCardProps) {
  const [text, setText] = useState('');
  const name = useModelName(model);
  const { reason } = useEditAccess();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const drafting = useMutation({
    networkMode: 'always',
    mutationFn() {
      abort.current = new AbortController();
      return describeAssistant(text.trim(), model, abort.current.signal);
    },
    onSuccess: onDrafted,
  });
  return (
    <Card aria-label="Describe it">
      <CardHeader
        title="Describe it"
        description={`${name} drafts the name, the instructions and the first questions. You review them before anything is saved. The answer is billed.`}
      />
      <CardBody className="grid gap-3">
        <Field label="What should it do?">
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              maxLength={2_000}
              placeholder={examples}
              value={text}
              onChange={({ currentTarget: { value } }) => setText(value)}
            />
          )}
        </Field>
        {drafting.isError && (
          <Notice tone="destructive" live title="No draft was created">
            {errorText(drafting.error, drafting.error.message)}
          </Notice>
        )}
        <Button
          variant="primary"
          icon={Sparkles}
          className="justify-self-start"
          busy={drafting.isPending}
          pendingLabel="Drafting..."
          disabledReason={reason ?? (text.trim() === '' ? 'Describe the assistant first.' : undefined)}
          onClick={() => drafting.mutate()}
        >
          Draft it
        </Button>
      </CardBody>
    </Card>
  );
}
