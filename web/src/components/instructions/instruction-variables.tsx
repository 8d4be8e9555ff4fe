import {
  type InstructionValues,
  type InstructionVariable,
  instructionValues,
  instructionVariables,
  misspelledIn,
  userNameOf,
  variablesIn,
} from '@roster/contracts/assistants/variables';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { Braces } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { browserLocale } from '#web/lib/browser-locale.ts';
import { replaceIn } from '#web/lib/replace-in.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';

const descriptions: Record<InstructionVariable, string> = {
  current_date: 'The day. Once a day, the first message costs more: the provider’s cache starts over.',
  current_time: 'The minute. It changes with every message, so what follows it is not cached and costs its full price.',
  current_weekday: 'The day of the week.',
  time_zone: 'Your browser’s time zone. Programs use it too.',
  user_name: 'Your name, or the first part of your email address.',
  language: 'Your browser’s language.',
  assistant_name: 'The name of the assistant.',
  model: 'The model that answers.',
};

/** The values that variables would have now. null: not known here. */
export function useInstructionValues(assistantName: string | null, model: string | null): InstructionValues {
  const user = useUser();
  const context = { now: new Date(), ...browserLocale(), userName: userNameOf(user), assistantName };
  return { ...instructionValues({ ...context, model: modelIdOf(model ?? '') }), ...(!model && { model: null }) };
}

/** `field`: a text area's registration in a form. `insert` writes at its cursor. */
export function useInsertion<Registration extends { ref: (element: HTMLTextAreaElement | null) => void }>(
  registration: Registration,
) {
  const box = useRef<HTMLTextAreaElement>(null);
  const ref = (element: HTMLTextAreaElement | null) => {
    registration.ref(element);
    box.current = element;
  };
  return {
    field: { ...registration, ref },
    insert: (source: string) => {
      if (box.current) replaceIn(box.current, box.current.selectionStart, box.current.selectionEnd, source);
    },
  };
}

type InsertVariableProps = {
  values: InstructionValues;
  /** `source`: as written in instructions. */
  onInsert: (source: string) => void;
};

export function InsertVariable({ values, onInsert }: InsertVariableProps) {
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="sm" icon={Braces}>
          Insert variable
        </Button>
      }
    >
      {instructionVariables.map((name) => (
        <MenuItem
          key={name}
          onSelect={() => onInsert(`{{${name}}}`)}
          description={
            <>
              {descriptions[name]}
              {values[name] !== null && <bdi className="block">Now: {values[name]}</bdi>}
            </>
          }
        >
          <code>{`{{${name}}}`}</code>
        </MenuItem>
      ))}
    </Menu>
  );
}

/** The variables in the instructions with their values, and names that are probably misspelled. */
export function VariableNotes({ text, values }: { text: string; values: InstructionValues }) {
  const used = useMemo(() => variablesIn(text), [text]);
  const misspelled = useMemo(() => misspelledIn(text), [text]);
  if (used.length === 0 && misspelled.length === 0) return null;
  return (
    <div className="grid gap-1 text-muted-foreground text-sm">
      {used.length > 0 && (
        <p className="wrap-anywhere">
          {formatCount(used.length, 'variable')}, filled in with each message:{' '}
          {used.map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <code className="rounded-xs bg-primary/14 px-1 text-primary-text">{`{{${name}}}`}</code>{' '}
              <bdi>{values[name]}</bdi>
            </span>
          ))}
        </p>
      )}
      {used.includes('current_time') && (
        <p>
          {'{{current_time}}'} changes with every message. What follows it, the conversation included, is not cached by
          the provider and costs its full price.
        </p>
      )}
      {misspelled.map(({ source, instead }) => (
        <p key={source} className="wrap-anywhere">
          <code>{source}</code> is not known here and is sent as it is. Did you mean <code>{instead}</code>?
        </p>
      ))}
    </div>
  );
}
