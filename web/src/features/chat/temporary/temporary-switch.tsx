import { MessageCircleDashed } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';

type TemporarySwitchProps = { isOn: boolean; onChange: (isOn: boolean) => void };

/** In the header of a new conversation. */
export function TemporarySwitch({ isOn, onChange }: TemporarySwitchProps) {
  return (
    <Button
      size="sm"
      variant={isOn ? 'secondary' : 'ghost'}
      icon={MessageCircleDashed}
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
      className={classNames('shrink-0 max-md:h-10', isOn && 'border-accent! border-dashed')}
    >
      Temporary
    </Button>
  );
}
