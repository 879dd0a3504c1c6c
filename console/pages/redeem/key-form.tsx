import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isAboutKey, KeyFailure } from './key-failure.tsx';
import { compactKey, groupedKey } from './key-text.ts';

type Props = { initial: string; error: unknown; isChecking: boolean; onKey: (key: string) => void };

/** The first step. After an error, the field has the focus again. */
export function KeyForm({ initial, error, isChecking, onKey }: Props) {
  const t = useTranslations('redeem');
  const [typed, setTyped] = useState(groupedKey(initial));
  const [isEmpty, setEmpty] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const failureId = useId();
  useEffect(() => {
    if (!isChecking) field.current?.focus();
  }, [isChecking]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = compactKey(typed);
    setEmpty(key === '');
    if (key === '') field.current?.focus();
    else if (!isChecking) onKey(key);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          ref={field}
          label={t('key')}
          description={t('keyText')}
          name="enrolment-key"
          autoComplete="off"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
          required
          withAsterisk={false}
          maxLength={100}
          size="md"
          classNames={{ input: 'enrolment-key' }}
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setEmpty(false);
          }}
          error={isEmpty ? t('empty') : !isChecking && isAboutKey(error)}
          {...(error && !isChecking ? { 'aria-errormessage': failureId } : {})}
        />
        {!isChecking && <KeyFailure error={error} id={failureId} />}
        <Button type="submit" size="md" fullWidth loading={isChecking}>
          {t('check')}
        </Button>
      </Stack>
    </form>
  );
}
