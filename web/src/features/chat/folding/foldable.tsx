import { FoldVertical, UnfoldVertical } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { CodeFoldingContext, useKeptInView } from '#web/ui/markdown/code/code-folding.ts';
import { FoldToggle } from '#web/ui/markdown/code/fold-toggle.tsx';
import { isLongAnswer, useFolding } from './folding.ts';

type FoldableProps = { messageId: number; isGrowing: boolean; children: ReactNode };

/** The text of an answer, of which only the beginning is visible once it is folded. */
export function Foldable({ messageId, isGrowing, children }: FoldableProps) {
  const { isFolded, fold, codes } = useFolding(messageId, isGrowing);
  const box = useRef<HTMLDivElement>(null);
  useKeptInView(isFolded, box);
  return (
    <CodeFoldingContext value={codes}>
      <div data-folded={isFolded || undefined} data-unfolds={isFolded || undefined}>
        <div
          ref={box}
          // The search of the browser and the keyboard scroll to what they find, although it is hidden.
          onScroll={({ currentTarget }) => isFolded && currentTarget.scrollTop > 0 && fold(false)}
          className={classNames(
            isFolded &&
              'max-h-48 overflow-hidden [mask-image:linear-gradient(black_60%,transparent)] print:max-h-none print:[mask-image:none]',
          )}
        >
          {children}
        </div>
        {isFolded && (
          <FoldToggle isFolded onClick={() => fold(false)}>
            Show the whole answer
          </FoldToggle>
        )}
      </div>
    </CodeFoldingContext>
  );
}

/** Folds a long answer, or unfolds it. */
export function FoldButton({ messageId, text }: { messageId: number; text: string }) {
  const { isFolded, fold } = useFolding(messageId, false);
  if (!isFolded && !isLongAnswer(text)) return null;
  return (
    <span data-unfolds className="contents">
      <IconButton
        label={isFolded ? 'Unfold answer' : 'Fold answer'}
        icon={isFolded ? UnfoldVertical : FoldVertical}
        size="sm"
        aria-expanded={!isFolded}
        onClick={() => fold(!isFolded)}
        className="max-md:size-10"
      />
    </span>
  );
}
