import { Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { Option } from './values.tsx';

type PriceFieldProps = { value: Option['Price']; onChange: (value: Option['Price']) => void };

/** An amount and its currency, or neither. */
export function PriceField({ value, onChange }: PriceFieldProps) {
  const t = useTranslations('courses.options');
  const [currency, setCurrency] = useState(value?.Currency ?? 'EUR');
  const set = (amount: string, Currency: string) =>
    onChange(amount === '' ? null : { Amount: amount.replace(',', '.'), Currency });
  const amount = value?.Amount ?? '';
  return (
    <Group align="flex-start">
      <TextInput
        label={t('price')}
        description={t('priceText')}
        inputMode="decimal"
        pattern="\d{1,12}([.,]\d{1,4})?"
        value={amount}
        onChange={(event) => set(event.currentTarget.value.trim(), currency)}
        flex="1 1 12rem"
      />
      <TextInput
        label={t('currency')}
        description={t('currencyText')}
        pattern="[A-Z]{3}"
        maxLength={3}
        value={currency}
        onChange={(event) => {
          const wanted = event.currentTarget.value.toUpperCase();
          setCurrency(wanted);
          set(amount, wanted);
        }}
        w={160}
      />
    </Group>
  );
}
