import type { ManagedUser } from '@roster/contracts/users';
import { useQuery } from '@tanstack/react-query';
import { Ellipsis, KeyRound, LogOut, Pencil, ShieldOff, Trash2 } from 'lucide-react';
import { useUser } from '#web/api/current-user.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';

type UserMenuProps = {
  user: ManagedUser;
  onChoose: (what: 'edit' | 'reset' | 'reset-second-factor' | 'sign-out' | 'delete') => void;
};

export function UserMenu({ user, onChoose }: UserMenuProps) {
  const isMe = useUser().id === user.id;
  const hasPasswords = useQuery(signInOptionsQuery).data?.passwordLogin !== false;
  return (
    <Menu trigger={<IconButton label={`Actions for ${user.email}`} tooltip="Actions" icon={Ellipsis} />}>
      <MenuItem icon={Pencil} onSelect={() => onChoose('edit')}>
        Edit
      </MenuItem>
      <MenuItem
        icon={KeyRound}
        disabledReason={hasPasswords ? undefined : 'Passwords are turned off on this installation'}
        onSelect={() => onChoose('reset')}
      >
        Reset Password
      </MenuItem>
      <MenuItem
        icon={ShieldOff}
        disabledReason={
          isMe
            ? 'Remove your own second factor under Settings, Account'
            : user.secondFactor
              ? undefined
              : 'This account has no second factor'
        }
        onSelect={() => onChoose('reset-second-factor')}
      >
        Reset Second Factor
      </MenuItem>
      <MenuItem
        icon={LogOut}
        disabledReason={isMe ? 'Sign out your own devices under Settings, Sessions' : undefined}
        onSelect={() => onChoose('sign-out')}
      >
        Sign Out Everywhere
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        icon={Trash2}
        destructive
        disabledReason={isMe ? 'Close your own account under Settings, Account' : undefined}
        onSelect={() => onChoose('delete')}
      >
        Delete
      </MenuItem>
    </Menu>
  );
}
