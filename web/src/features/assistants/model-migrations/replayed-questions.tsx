import { type ReplayableQuestion, replayQuestionLimit } from '@roster/contracts/comparisons/replays';
import { modelName } from '#web/api/model-names.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';

type ReplayedQuestionsProps = {
  model: string;
  items: readonly ReplayableQuestion[];
  chosen: ReadonlySet<number>;
  onChoose: (chosen: ReadonlySet<number>) => void;
};

/** Selects which questions to replay. */
export function ReplayedQuestions({ model, items, chosen, onChoose }: ReplayedQuestionsProps) {
  if (items.length === 0)
    return (
      <p className="text-muted-foreground">{`This assistant’s conversations contain no answers from ${modelName(model)}.`}</p>
    );
  const isFull = chosen.size >= replayQuestionLimit;
  const choose = (id: number, on: boolean) =>
    onChoose(on ? new Set([...chosen, id]) : new Set([...chosen].filter((other) => other !== id)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">{`Questions (${chosen.size} of ${items.length})`}</legend>
      <ul
        aria-label="Questions"
        className="max-h-64 divide-y divide-border overflow-y-auto rounded-md border border-border"
      >
        {items.map((question) => (
          <li key={question.answerId}>
            <Checkbox
              className="px-3.5 py-2 max-md:py-2.5"
              label={<span className="wrap-anywhere line-clamp-2">{question.text}</span>}
              description={<About question={question} />}
              checked={chosen.has(question.answerId)}
              disabled={isFull && !chosen.has(question.answerId)}
              onChange={(event) => choose(question.answerId, event.currentTarget.checked)}
            />
          </li>
        ))}
      </ul>
      <p className="mt-1.5 text-muted-foreground text-sm">
        {`At most ${replayQuestionLimit}, each with the earlier messages of its conversation.`}
      </p>
    </fieldset>
  );
}

function About({ question: { title, createdAt, files } }: { question: ReplayableQuestion }) {
  return (
    <>
      <bdi>{title}</bdi>, <RelativeTime date={createdAt} />
      {files > 0 && ` · ${formatCount(files, 'file')} not sent`}
    </>
  );
}
