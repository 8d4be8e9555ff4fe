import { resultMeanings, resultNames } from './labels.ts';

/** Explains the result categories. */
export function ResultLegend() {
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer rounded-xs text-muted-foreground hover:text-foreground max-md:py-2">
        Legend
      </summary>
      <dl className="mt-2 grid max-w-[72ch] gap-1">
        {resultMeanings.map(([result, meaning]) => (
          <div key={result} className="flex gap-3">
            <dt className="w-24 shrink-0 font-medium">{resultNames[result]}</dt>
            <dd className="min-w-0 text-muted-foreground">{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
