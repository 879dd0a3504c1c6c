import { Anchor, Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import './api-keys.css';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { Instant, Note } from '../../parts/values.tsx';
import { scopesOfTenant } from './scopes.ts';

export type Key = components['schemas']['Key'];

const isExpired = ({ ExpiresAt }: Key) => ExpiresAt !== null && Date.parse(ExpiresAt) <= Date.now();

export function NameOfKey({ apiKey }: { apiKey: Key }) {
  const t = useTranslations('apiKeys');
  return (
    <>
      <Text size="sm" fw={600} className="break" span>
        {apiKey.Name}
      </Text>{' '}
      {apiKey.RevokedAt ? (
        <Badge color="red">{t('revoked')}</Badge>
      ) : (
        isExpired(apiKey) && <Badge color="orange">{t('expired')}</Badge>
      )}
    </>
  );
}

/** More scopes would not fit on a line. */
const maxShown = 2;

export function ScopeList({ scopes }: { scopes: Key['Scopes'] }) {
  const t = useTranslations('apiKeys');
  const [isOpen, setOpen] = useState(false);
  if (scopesOfTenant.every((scope) => scopes.includes(scope))) return <>{t('everything')}</>;
  const shown = isOpen || scopes.length <= maxShown ? scopes : scopes.slice(0, maxShown - 1);
  return (
    <Group gap={4} wrap={isOpen ? 'wrap' : 'nowrap'}>
      {shown.map((scope) => (
        <Badge key={scope} color="gray">
          {scope}
        </Badge>
      ))}
      {shown.length < scopes.length && (
        <UnstyledButton className="more-scopes" onClick={() => setOpen(true)}>
          {t('more', { count: scopes.length - shown.length })}
        </UnstyledButton>
      )}
    </Group>
  );
}

type CreatedProps = { apiKey: Key; tenantId?: string };

/** When the key was created, and by whom. */
export function Created({ apiKey, tenantId }: CreatedProps) {
  const { CreatedAt, CreatedBy } = apiKey;
  return (
    <>
      <Instant at={CreatedAt} isDay />
      {CreatedBy !== null && (
        <Note>
          <Creator apiKey={apiKey} {...(tenantId === undefined ? {} : { tenantId })} />
        </Note>
      )}
    </>
  );
}

function Creator({ apiKey: { CreatedBy, CreatorLoginID: loginId }, tenantId }: CreatedProps) {
  const t = useTranslations('apiKeys');
  if (CreatedBy === 'operator') return <>{t('byOperator')}</>;
  if (loginId === null) return <>{t('byErased')}</>;
  const search = tenantId === undefined ? {} : { tenant: tenantId };
  const user = () => (
    <Anchor
      size="xs"
      renderRoot={(props) => (
        <Link to="/console/users/$loginId" params={{ loginId }} search={search} {...props} />
      )}
    >
      {loginId}
    </Anchor>
  );
  return <>{t.rich('by', { person: user })}</>;
}
