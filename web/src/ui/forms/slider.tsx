import type { ComponentProps, CSSProperties } from 'react';
import { classNames } from '#web/ui/class-names.ts';

type SliderProps = Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange' | 'min' | 'max' | 'step' | 'style'> & {
  value: number;
  onValueChange: (value: number) => void;
  min: number;
  max: number;
  step: number;
};

/** A native range input. Values are rounded to the step's digits, so that 0.1 + 0.2 is 0.3. */
export function Slider({ value, onValueChange, min, max, step, className, ...rest }: SliderProps) {
  const digits = (String(step).split('.')[1] ?? '').length;
  const filled: CSSProperties & { '--filled': string } = { '--filled': `${((value - min) / (max - min)) * 100}%` };
  return (
    <input
      {...rest}
      type="range"
      min={min}
      max={max}
      step={step}
      value={value}
      style={filled}
      onChange={(event) => onValueChange(Number(event.currentTarget.valueAsNumber.toFixed(digits)))}
      className={classNames('roster-slider', className)}
    />
  );
}
