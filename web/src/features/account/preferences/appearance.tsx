import { Monitor, Moon, Sun } from 'lucide-react';
import { setTheme, type Theme, useTheme } from '#web/lib/theme/theme.ts';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const themeOptions = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
] as const;

const themeTexts: Record<Theme, string> = {
  light: 'Roster is now light.',
  dark: 'Roster is now dark.',
  system: 'Roster now follows your device.',
};

/** `hasColors`: custom colors override the theme. */
export function Appearance({ hasColors }: { hasColors: boolean }) {
  const { theme, shown } = useTheme();
  const choose = (choice: Theme) => {
    setTheme(choice);
    toast({ title: 'Theme Updated', description: themeTexts[choice], topic: 'theme' });
  };
  const setDark = (dark: boolean) => {
    setTheme(dark ? 'dark' : 'light');
    toast({
      title: dark ? 'Dark Mode Enabled' : 'Dark Mode Disabled',
      description: themeTexts[dark ? 'dark' : 'light'],
      topic: 'theme',
    });
  };
  return (
    <div className="grid gap-6">
      <Switch
        label="Dark Mode"
        description="Light text on a dark background"
        checked={shown === 'dark'}
        onChange={(event) => setDark(event.currentTarget.checked)}
      />
      <RadioGroup label="Theme" layout="row" value={theme} onValueChange={choose} options={themeOptions} />
      {hasColors ? (
        <Notice>Your custom colors override the theme. Turn them off under Advanced to see it again.</Notice>
      ) : (
        <p className="text-muted-foreground text-sm">
          The theme applies immediately in this browser. Choose Save Preferences to use it on your other devices.
        </p>
      )}
    </div>
  );
}
