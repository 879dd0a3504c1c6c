import { NumberInput } from '@mantine/core';
import { useTranslations } from 'use-intl';

type Props = { description: string; value: number | null; onChange: (years: number | null) => void };

/** For how many years evidence of a completion is kept, whatever is erased. */
export function RetainField({ description, value, onChange }: Props) {
  const t = useTranslations('retention');
  return (
    <NumberInput
      label={t('label')}
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
