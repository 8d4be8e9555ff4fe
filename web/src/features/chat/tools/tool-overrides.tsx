import { CodeXml, Globe, ImagePlus, Wrench, X } from 'lucide-react';
import type { RefObject } from 'react';
import { type ComposerTools, hostedNames, switchedHosted, without } from '#web/features/chat/shared/thread-tools.ts';
import type { Icon } from '#web/ui/icon.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useServers } from './use-tools.ts';

const icons = { webSearch: Globe, codeInterpreter: CodeXml, imageGeneration: ImagePlus };

type SwitchedToolsProps = { tools: ComposerTools; box: RefObject<HTMLTextAreaElement | null> };

/** Tools that this conversation overrides, as removable chips. */
export function ToolOverrides({ tools, box }: SwitchedToolsProps) {
  const { assistantId, switched, onSwitch } = tools;
  const { serversOff = [] } = switched;
  const servers = useServers(assistantId, serversOff.length > 0) ?? [];
  const hosted = switchedHosted(switched);
  // One that the assistant does not use is off anyway.
  const off = servers.filter(({ id }) => serversOff.includes(id));
  if (hosted.length === 0 && off.length === 0) return null;
  const takeOff = (key: Parameters<typeof without>[0]) => {
    onSwitch(without(key, switched));
    box.current?.focus();
  };
  return (
    <ul
      aria-label="Tools changed for this conversation"
      className="flex basis-full flex-wrap gap-1.5 p-0.5 max-md:-order-2"
    >
      {hosted.map(({ name, on }) => (
        <Mark key={name} icon={icons[name]} name={hostedNames[name]} isOn={on} onTakeOff={() => takeOff(name)} />
      ))}
      {off.map(({ id, name }) => (
        <Mark key={id} icon={Wrench} name={name} isOn={false} onTakeOff={() => takeOff(id)} />
      ))}
    </ul>
  );
}

type MarkProps = { icon: Icon; name: string; isOn: boolean; onTakeOff: () => void };

function Mark({ icon: IconPart, name, isOn, onTakeOff }: MarkProps) {
  return (
    <li className="flex min-h-7 min-w-0 max-w-full items-center gap-1.5 rounded-md border border-border ps-2 text-sm max-md:min-h-10">
      <IconPart aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      <span className="min-w-0 truncate">
        <bdi>{name}</bdi> {isOn ? 'on' : 'off'}
      </span>
      <IconButton
        label={`Reset: ${name} ${isOn ? 'on' : 'off'}`}
        icon={X}
        size="sm"
        onClick={onTakeOff}
        className="max-md:size-10"
      />
    </li>
  );
}
