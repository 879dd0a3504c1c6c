import { Textarea } from '@mantine/core';

type Props = { label: string; value: string; onChange: (value: string) => void };

/** Why something is done, which is kept. */
export const ReasonField = ({ label, value, onChange }: Props) => (
  <Textarea
    label={label}
    required
    maxLength={500}
    autosize
    minRows={2}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
