import type { MouseEvent } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { stopsOf } from './fields.ts';
import type { Filling, FillingState } from './filling.ts';

/** The on-screen keyboard must not close. */
const keepFocus = (event: MouseEvent) => event.preventDefault();

/** Says which variable is being filled in, and goes to the others by touch. */
export function FillBar({ state, filling }: { state: FillingState; filling: Filling }) {
  const { fields, active, missing } = state;
  const stops = stopsOf(fields);
  const at = stops.findIndex(({ variable }) => variable.name === active?.variable.name);
  const name = active?.variable.name;
  const button = { size: 'sm', variant: 'ghost', onMouseDown: keepFocus } as const;
  return (
    <div className="flex basis-full flex-wrap items-center gap-x-1 gap-y-1 border-border border-b px-2 pb-1 text-sm max-md:-order-2">
      <output className="wrap-anywhere me-auto min-w-0 py-1 text-muted-foreground">
        {missing !== null ? (
          <>
            Fill in <bdi className="font-medium text-foreground">{missing}</bdi>, or send again to send the text as it
            is.
          </>
        ) : name === undefined ? (
          'Variables that are left get their defaults.'
        ) : (
          <>
            <bdi className="font-medium text-foreground">{name}</bdi>{' '}
            <span className="tabular-nums">
              {at + 1} of {stops.length}
            </span>
            <span className="sr-only">. Tab goes to the next variable, Escape ends filling in.</span>
          </>
        )}
      </output>
      <Button {...button} disabled={at === 0} onClick={() => filling.step('back')}>
        Back
      </Button>
      <Button {...button} disabled={name === undefined} onClick={() => filling.step('next')}>
        Next
        <span aria-hidden className="max-md:hidden">
          <Kbd>Tab</Kbd>
        </span>
      </Button>
      <Button {...button} onClick={filling.end}>
        Done
        <span aria-hidden className="max-md:hidden">
          <Kbd>Esc</Kbd>
        </span>
      </Button>
    </div>
  );
}
