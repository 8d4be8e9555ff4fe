import { formatCount } from '#web/lib/text/format.ts';
import { classNames } from '#web/ui/class-names.ts';
import { type FieldDifference, fieldNames } from './field-texts.ts';
import { collapseUnchanged, type Piece, type Stretch, textDifference } from './text-difference.ts';

type DifferenceProps = {
  fields: FieldDifference[];
  /** Labels of the two sides. */
  before: string;
  after: string;
};

/** Two versions side by side, field by field; stacked on phones. */
export function Difference({ fields, before, after }: DifferenceProps) {
  return (
    <div className="grid gap-6">
      <p aria-hidden className="grid grid-cols-2 gap-3 text-muted-foreground text-sm max-md:hidden">
        <span>{before}</span>
        <span>{after}</span>
      </p>
      {fields.map((one) => (
        <Field key={one.field} {...one} names={[before, after]} />
      ))}
    </div>
  );
}

/** One version, field by field, if there is nothing to compare it with. */
export const WholeVersion = ({ fields }: Pick<DifferenceProps, 'fields'>) => (
  <div className="grid gap-6">
    {fields.map(({ field, after }) => (
      <section key={field} aria-label={fieldNames[field]}>
        <h4 className="mb-1.5 font-medium">{fieldNames[field]}</h4>
        <div dir="auto" className={classNames(cell, 'rounded-md border border-border bg-card')}>
          {after}
        </div>
      </section>
    ))}
  </div>
);

function Field({ field, before, after, names }: FieldDifference & { names: [string, string] }) {
  return (
    <section aria-label={fieldNames[field]}>
      <h4 className="mb-1.5 font-medium">{fieldNames[field]}</h4>
      <div className="grid gap-px overflow-hidden rounded-md border border-border bg-border">
        {textDifference(before, after).map((stretch, index) => (
          // Stable keys: the same texts always give the same stretches.
          // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is known by nothing but its place
          <Row key={index} stretch={stretch} names={names} />
        ))}
      </div>
    </section>
  );
}

const cell = 'wrap-anywhere min-w-0 whitespace-pre-wrap px-3 py-1.5 font-mono text-xs/5';

function Row({ stretch, names }: { stretch: Stretch; names: [string, string] }) {
  if (stretch.kind === 'same') return <Same text={stretch.text} />;
  return (
    <div className="grid gap-px md:grid-cols-2">
      <Side pieces={stretch.before} name={names[0]} kind="before" />
      <Side pieces={stretch.after} name={names[1]} kind="after" />
    </div>
  );
}

function Same({ text }: { text: string }) {
  const { begin, between, end } = collapseUnchanged(text);
  const content = (
    <>
      {begin}
      {between > 0 && (
        <span className="my-1 block font-sans text-muted-foreground">{`${formatCount(between, 'unchanged line')}`}</span>
      )}
      {end}
    </>
  );
  return (
    <div className="grid gap-px md:grid-cols-2">
      <div dir="auto" className={classNames(cell, 'bg-card')}>
        {content}
      </div>
      <div dir="auto" aria-hidden className={classNames(cell, 'bg-card max-md:hidden')}>
        {content}
      </div>
    </div>
  );
}

const looks = {
  before: { box: 'bg-[color-mix(in_oklab,var(--destructive)_7%,var(--card))]', word: 'bg-destructive/20 line-through' },
  after: { box: 'bg-[color-mix(in_oklab,var(--success)_9%,var(--card))]', word: 'bg-success/25 underline' },
};

type SideProps = { pieces: Piece[] | null; name: string; kind: 'before' | 'after' };

function Side({ pieces, name, kind }: SideProps) {
  const { box, word } = looks[kind];
  if (!pieces) return <div aria-hidden className={classNames(cell, 'bg-card max-md:hidden')} />;
  const Text = kind === 'before' ? 'del' : 'ins';
  return (
    <Text dir="auto" className={classNames(cell, box, 'block no-underline')}>
      <span className="mb-0.5 block font-sans text-muted-foreground md:sr-only">{name}</span>
      {pieces.map(({ text, differs }, index) =>
        differs ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <span key={index} className={classNames('rounded-xs decoration-1', word)}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </Text>
  );
}
