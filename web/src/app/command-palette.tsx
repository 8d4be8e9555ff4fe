import { Search } from 'lucide-react';
import { useRef, useState } from 'react';
import { useCapturedKeys } from '#web/lib/keyboard/use-captured-keys.ts';
import { classNames } from '#web/ui/class-names.ts';
import { ModalLayer } from '#web/ui/dialogs/modal-layer.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { useActiveOption } from '#web/ui/menus/use-active-option.ts';
import { Spinner } from '#web/ui/states/spinner.tsx';
import { type Command, useCommands } from './commands.ts';
import { rememberCommand } from './recent-commands.ts';

/** Phones need its room. */
const closeKey = (
  <span className="max-md:hidden">
    <Kbd>Esc</Kbd>
  </span>
);

/** Ctrl/Cmd+K: one field for every page, tab and action, and for assistants, conversations, files and models. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const { groups, searching, failed } = useCommands(text);
  const commands = groups.flatMap((group) => group.commands);
  const run = (command: Command | undefined) => {
    if (!command || command.disabledReason) return;
    rememberCommand(command.id);
    onClose();
    // After the layer has returned focus, so that the new page can take it.
    queueMicrotask(command.run);
  };
  const { active, setActiveId, listId, optionId, fieldProps } = useActiveOption({
    options: commands,
    first: commands[0],
    onTake: run,
  });

  const field = useRef<HTMLInputElement>(null);
  useCapturedKeys(field, setText);

  return (
    <ModalLayer
      onOpenChange={onClose}
      label="Search and commands"
      className="flex items-start justify-center px-3 pt-[12dvh] pb-4"
    >
      <div
        data-layer-body
        className="flex max-h-[min(30rem,76dvh)] w-full max-w-xl animate-rise flex-col rounded-lg bg-popover shadow-float"
      >
        <div className="flex items-center gap-3 border-border border-b px-4">
          <SearchMark searching={searching} />
          <input
            {...fieldProps}
            ref={field}
            aria-label="Search pages, assistants and conversations"
            placeholder="Search pages, assistants, conversations…"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setActiveId(null);
            }}
            className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none md:text-base"
          />
          {closeKey}
        </div>
        <div id={listId} role="listbox" aria-label="Results" className="min-h-0 flex-1 overflow-y-auto p-1.5">
          <Groups groups={groups} optionId={optionId} chosen={active} onPoint={setActiveId} onRun={run} />
          {commands.length === 0 && (
            <p className="px-2.5 py-8 text-center text-muted-foreground">
              {searching ? 'Searching…' : `Nothing found for “${text.trim()}”`}
            </p>
          )}
          {failed && <p className="px-2.5 py-2 text-destructive-text text-sm">Conversations could not be searched.</p>}
        </div>
      </div>
    </ModalLayer>
  );
}

const SearchMark = ({ searching }: { searching: boolean }) =>
  searching ? (
    <Spinner className="text-muted-foreground" />
  ) : (
    <Search aria-hidden className="size-4 shrink-0 text-muted-foreground" />
  );

type GroupsProps = {
  groups: ReturnType<typeof useCommands>['groups'];
  optionId: (command: Command) => string;
  chosen: Command | undefined;
  onPoint: (id: string) => void;
  onRun: (command: Command) => void;
};

function Groups({ groups, optionId, chosen, onPoint, onRun }: GroupsProps) {
  return groups.map(({ title, commands }) => (
    // biome-ignore lint/a11y/useSemanticElements: a listbox groups its options with this role.
    <div key={title} role="group" aria-label={title} className="pb-1">
      <p aria-hidden="true" className="px-2.5 pt-2 pb-1 text-muted-foreground text-xs">
        {title}
      </p>
      {commands.map((command) => (
        <Option
          key={command.id}
          id={optionId(command)}
          command={command}
          selected={command === chosen}
          onPoint={() => onPoint(command.id)}
          onRun={() => onRun(command)}
        />
      ))}
    </div>
  ));
}

type OptionProps = { id: string; command: Command; selected: boolean; onPoint: () => void; onRun: () => void };

function Option({ id, command, selected, onPoint, onRun }: OptionProps) {
  const { icon: IconPart, label, detail, disabledReason } = command;
  const note = disabledReason ?? command.excerpt;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys, as a combobox does.
    // biome-ignore lint/a11y/useFocusableInteractive: see above; the field names the active option.
    <div
      id={id}
      role="option"
      aria-selected={selected}
      aria-disabled={disabledReason ? true : undefined}
      onPointerMove={onPoint}
      onClick={onRun}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center gap-3 rounded-sm px-2.5 py-1.5 max-md:min-h-11',
        selected && 'bg-hover',
      )}
    >
      <IconPart aria-hidden className="size-4 text-muted-foreground" />
      <span className="min-w-0 flex-1">
        <span className={classNames('block truncate', disabledReason && 'text-muted-foreground')}>{label}</span>
        {note && (
          <span className={classNames('block text-muted-foreground text-xs', !disabledReason && 'truncate')}>
            {note}
          </span>
        )}
      </span>
      {detail && <span className="shrink-0 text-muted-foreground text-xs">{detail}</span>}
    </div>
  );
}
