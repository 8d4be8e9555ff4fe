import { Ellipsis, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';

type ActionMenuProps = {
  name: string;
  isPaused: boolean;
  /** Pauses or resumes. */
  onPause: () => void;
  onChoose: (what: 'edit' | 'remove') => void;
};

/** Further actions on a connection, one's own or an offered one. */
export function ActionMenu({ name, isPaused, onPause, onChoose }: ActionMenuProps) {
  return (
    <Menu trigger={<IconButton label={`Actions for ${name}`} tooltip="Actions" icon={Ellipsis} />}>
      <MenuItem icon={Pencil} onSelect={() => onChoose('edit')}>
        Edit
      </MenuItem>
      <MenuItem icon={isPaused ? Play : Pause} onSelect={onPause}>
        {isPaused ? 'Resume' : 'Pause'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} destructive onSelect={() => onChoose('remove')}>
        Remove
      </MenuItem>
    </Menu>
  );
}
