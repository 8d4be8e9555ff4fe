import {
  type Colors,
  contrastReport,
  derivePalette,
  formatContrast,
  minTextContrast,
  parseColor,
} from '#web/lib/theme/colors.ts';
import { previewColors, useTheme } from '#web/lib/theme/theme.ts';
import { Button } from '#web/ui/button.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { ColorField } from './color-field.tsx';
import { ColorPreview } from './color-preview.tsx';
import { type ColorErrors, colorFields, mergeTypedColors, themeColors } from './colors.ts';
import type { Draft } from './use-draft.ts';

/** Contrast of the chosen colors, with a warning if text is hard to read. */
function ContrastNotice({ colors }: { colors: Colors }) {
  const measured = contrastReport(colors);
  const low = measured.filter(({ ratio }) => ratio < minTextContrast);
  if (low.length === 0) {
    const least = Math.min(...measured.map(({ ratio }) => ratio));
    return (
      <p className="text-muted-foreground text-sm">
        All text is easy to read: its contrast is at least <span className="tabular-nums">{formatContrast(least)}</span>
        .
      </p>
    );
  }
  return (
    <Notice tone="warning" live title="Some text is hard to read in these colors">
      <ul className="grid gap-0.5">
        {low.map(({ what, ratio }) => (
          <li key={what}>
            {what}: contrast <span className="font-medium text-foreground tabular-nums">{formatContrast(ratio)}</span>,
            should be at least 4.5:1
          </li>
        ))}
      </ul>
    </Notice>
  );
}

type AdvancedProps = {
  draft: Draft;
  saved: Draft;
  errors: ColorErrors;
  onChange: (changes: { customColors?: boolean; colors?: Partial<Colors> }) => void;
  onErrors: (errors: ColorErrors) => void;
  /** The typed colors, or undefined after showing errors at the fields. */
  checkedColors: () => Colors | undefined;
};

export function Advanced(props: AdvancedProps) {
  const { draft, onChange } = props;
  const turn = (on: boolean) => {
    onChange({ customColors: on });
    // Turning it off previews the theme's colors; turning it on, the saved ones.
    previewColors(on ? undefined : null);
  };
  return (
    <div className="grid gap-6">
      <Switch
        label="Custom Colors"
        description="Use your own colors throughout Roster instead of the theme’s"
        checked={draft.customColors}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      {draft.customColors && <CustomColors {...props} />}
    </div>
  );
}

function CustomColors({ draft, saved, errors, onChange, onErrors, checkedColors }: AdvancedProps) {
  const shown = mergeTypedColors(draft.colors, saved.colors);
  const defaults = themeColors[useTheme().shown];
  const preview = () => {
    const colors = checkedColors();
    if (!colors) return;
    previewColors(derivePalette(colors));
    toast({
      title: 'Colors Applied',
      description: 'This is a preview. Choose Save Preferences to keep the colors.',
      topic: 'colors',
    });
  };
  const reset = () => {
    onErrors({});
    onChange({ colors: defaults });
    previewColors(undefined);
    toast({
      title: 'Colors Reset',
      description: 'The fields show the defaults. Choose Save Preferences to keep them.',
      topic: 'colors',
    });
  };
  return (
    <>
      <div className="grid gap-x-8 gap-y-6 md:grid-cols-2">
        <div className="grid content-start gap-4">
          {colorFields.map(({ name, label }) => (
            <ColorField
              key={name}
              label={label}
              placeholder={defaults[name]}
              value={draft.colors[name]}
              shown={shown[name]}
              error={errors[name]}
              onChange={(typed) => {
                onChange({ colors: { [name]: typed } });
                if (errors[name] && parseColor(typed)) onErrors({ ...errors, [name]: undefined });
              }}
            />
          ))}
        </div>
        <ColorPreview colors={shown} />
      </div>
      <ContrastNotice colors={shown} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={preview}>Preview Colors</Button>
        <Button variant="ghost" onClick={reset}>
          Reset to Theme Defaults
        </Button>
      </div>
    </>
  );
}
