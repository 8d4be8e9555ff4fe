import { Monitor, Moon, Sun } from 'lucide-react';
import { setTheme, type Theme, useTheme } from '#web/lib/theme.ts';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { RadioGroup } from '#web/ui/radio-group.tsx';
import { Switch } from '#web/ui/switch.tsx';
import { toast } from '#web/ui/toast.tsx';

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

export function PreferencesTab() {
  const { theme, shown } = useTheme();
  const choose = (choice: Theme) => {
    setTheme(choice);
    toast({ title: 'Theme Updated', description: themeTexts[choice] });
  };
  const setDark = (dark: boolean) => {
    setTheme(dark ? 'dark' : 'light');
    toast({
      title: dark ? 'Dark Mode Enabled' : 'Dark Mode Disabled',
      description: themeTexts[dark ? 'dark' : 'light'],
    });
  };
  return (
    <Card className="max-w-3xl">
      <CardHeader title="Appearance" description="Applies at once." />
      <div className="grid gap-6 p-5">
        <Switch
          label="Dark Mode"
          description="Light text on a dark background"
          checked={shown === 'dark'}
          onChange={(event) => setDark(event.currentTarget.checked)}
        />
        <RadioGroup label="Theme" layout="row" value={theme} onValueChange={choose} options={themeOptions} />
      </div>
      <CardFooter>
        The theme is kept in this browser. Notifications, sound and custom colors are not part of this version of Roster
        yet.
      </CardFooter>
    </Card>
  );
}
