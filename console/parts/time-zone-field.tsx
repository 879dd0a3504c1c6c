import { Select, type SelectProps } from '@mantine/core';
import { useTranslations } from 'use-intl';

type Props = { value: string; onChange: (value: string) => void } & Pick<
  SelectProps,
  'description' | 'readOnly'
>;

/** An IANA time zone. */
export function TimeZoneField({ value, onChange, ...props }: Props) {
  const t = useTranslations('list');
  return (
    <Select
      label={t('timeZone')}
      required
      searchable
      allowDeselect={false}
      openOnFocus={false}
      limit={100}
      data={[...new Set([value, 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
      value={value}
      onChange={(wanted) => wanted && onChange(wanted)}
      inputWrapperOrder={['label', 'input', 'description']}
      {...props}
    />
  );
}
