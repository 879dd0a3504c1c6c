import { Alert } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { toFailure } from '../../api/problem.ts';
import { FailedAction } from '../../parts/states.tsx';
import { PasskeyError } from './use-passkeys.ts';

const codes = ['passkey_rejected', 'passkeys_unavailable', 'passkey_limit', 'last_passkey'] as const;

/** Shows why a passkey could not be added, used or removed. */
export function PasskeyFailure({ error }: { error: unknown }) {
  const t = useTranslations('passkeys.failures');
  if (error === null) return null;
  const code = codes.find((one) => one === toFailure(error).code);
  const known = error instanceof PasskeyError ? error.failure : code;
  if (known === undefined) return <FailedAction error={error} />;
  return (
    <Alert color="red" variant="light" role="alert">
      {t(known)}
    </Alert>
  );
}
