import { TextInput, type TextInputProps } from '@mantine/core';
import { useTranslations } from 'use-intl';

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange: (id: string) => void;
};

/** An ID that becomes part of addresses, where nobody wants spaces. */
export function IdField({ value, onChange, error, ...props }: Props) {
  const t = useTranslations('act');
  return (
    <TextInput
      required
      maxLength={255}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      pattern="\S+"
      title={t('noSpaces')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={/\s/.test(value) ? t('noSpaces') : error}
      {...props}
    />
  );
}
