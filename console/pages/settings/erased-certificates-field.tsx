import { Radio, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { choiceOf } from '../../parts/choices.ts';
import { PeriodField } from '../../parts/period-field.tsx';

type ErasedCertificates = components['schemas']['Settings']['ErasedCertificates'];

const choices = ['name', 'course', 'nothing'] as const satisfies readonly ErasedCertificates['Show'][];

type Props = {
  value: ErasedCertificates;
  onChange: (value: ErasedCertificates) => void;
  isReadOnly: boolean;
};

/** What the public page shows of the certificates of people who are erased from now on. */
export function ErasedCertificatesField({ value, onChange, isReadOnly }: Props) {
  const t = useTranslations('settings.erased');
  return (
    <>
      <Radio.Group
        label={t('label')}
        description={t('text')}
        value={value.Show}
        onChange={(chosen) => {
          const Show = choiceOf(choices, chosen) ?? value.Show;
          onChange({ Show, For: Show === 'nothing' ? null : value.For });
        }}
      >
        <Stack gap="sm" mt="xs">
          {choices.map((choice) => (
            <Radio key={choice} value={choice} label={t(`choices.${choice}`)} disabled={isReadOnly} />
          ))}
        </Stack>
      </Radio.Group>
      {value.Show !== 'nothing' && (
        <PeriodField
          label={t('for')}
          description={t('forText')}
          value={value.For}
          onChange={(For) => onChange({ ...value, For })}
          isReadOnly={isReadOnly}
        />
      )}
    </>
  );
}
