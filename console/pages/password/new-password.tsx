import { PasswordInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { minLength, type Weakness, weaknessOf } from './password-rules.ts';

/** The state of a field for a new password. `check` shows a weakness, focuses the field, and then returns false. */
export function useNewPassword(words: readonly (string | null)[]) {
  const [value, setValue] = useState('');
  const [weakness, setWeakness] = useState<Weakness | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const type = (typed: string) => {
    setValue(typed);
    if (weakness) setWeakness(weaknessOf(typed, words));
  };
  const check = () => {
    const found = weaknessOf(value, words);
    setWeakness(found);
    if (found) field.current?.focus();
    return found === null;
  };
  return { value, weakness, field, type, check };
}

export function NewPassword({ state }: { state: ReturnType<typeof useNewPassword> }) {
  const t = useTranslations('password');
  const { value, weakness, field, type } = state;
  return (
    <PasswordField
      field={field}
      label={t('new')}
      description={t('rules', { count: minLength })}
      name="new-password"
      autoComplete="new-password"
      value={value}
      onType={type}
      error={weakness && t(`weaknesses.${weakness}`, { count: minLength })}
    />
  );
}

type FieldProps = {
  field?: React.Ref<HTMLInputElement>;
  label: string;
  description?: string;
  name: string;
  autoComplete: 'new-password' | 'current-password';
  value: string;
  onType: (typed: string) => void;
  error?: string | null;
};

export function PasswordField({ field, onType, ...props }: FieldProps) {
  const t = useTranslations('password');
  const [isVisible, setVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      ref={field}
      required
      withAsterisk={false}
      maxLength={1000}
      onChange={(event) => onType(event.currentTarget.value)}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t(isVisible ? 'hide' : 'show') }}
    />
  );
}
