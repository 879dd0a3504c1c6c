import { Select } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { choiceOf } from '../../parts/choices.ts';

type Language = components['schemas']['Settings']['Language'];

export const languages = ['en', 'de', 'fr'] as const satisfies readonly Language[];

type Props = { value: Language; onChange: (value: Language) => void; isReadOnly?: boolean };

/** The language of a tenant's emails and pages. */
export function LanguageField({ value, onChange, isReadOnly = false }: Props) {
  const t = useTranslations('tenants');
  return (
    <Select
      label={t('language')}
      data={languages.map((value) => ({ value, label: t(`languages.${value}`) }))}
      value={value}
      onChange={(chosen) => onChange(choiceOf(languages, chosen) ?? value)}
      allowDeselect={false}
      readOnly={isReadOnly}
    />
  );
}
