import { NumberInput } from '@mantine/core';

type Props = {
  label: string;
  description: string;
  value: number | null;
  onChange: (years: number | null) => void;
};

/** For how many years evidence of a completion is kept, whatever is erased. */
export function RetainField({ label, description, value, onChange }: Props) {
  return (
    <NumberInput
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description']}
      min={1}
      max={100}
      allowDecimal={false}
      allowNegative={false}
      value={value ?? ''}
      onChange={(typed) => onChange(typeof typed === 'number' && typed > 0 ? typed : null)}
      maw={260}
    />
  );
}
