'use client';

import { RadioGroup } from 'radix-ui';
import { Icon, type IconName } from './icon';

/** One of a few, all in view: "as published" or "as of now", calendar or table. Arrow keys move. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; icon?: IconName }[];
  onChange: (value: Value) => void;
}) {
  return (
    <RadioGroup.Root
      className="seg"
      aria-label={label}
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      orientation="horizontal"
    >
      {options.map((option) => (
        <RadioGroup.Item key={option.value} value={option.value}>
          {option.icon && <Icon name={option.icon} />}
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
