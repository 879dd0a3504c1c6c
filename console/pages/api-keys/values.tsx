import { Anchor, Badge, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import './api-keys.css';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { Instant } from '../../parts/values.tsx';
import { scopesOfTenant } from './scopes.ts';

export type Key = components['schemas']['Key'];

const isExpired = ({ ExpiresAt }: Key) => ExpiresAt !== null && Date.parse(ExpiresAt) <= Date.now();

export function NameOfKey({ apiKey }: { apiKey: Key }) {
  const t = useTranslations('apiKeys');
  return (
    <Group gap="xs">
      <Text size="sm" fw={600} className="break">
        {apiKey.Name}
      </Text>
      {apiKey.RevokedAt ? (
        <Badge color="red">{t('revoked')}</Badge>
      ) : (
        isExpired(apiKey) && <Badge color="orange">{t('expired')}</Badge>
      )}
    </Group>
  );
}

/** More scopes would make the rows of the list too tall. */
const maxShown = 3;

export function ScopeList({ scopes }: { scopes: Key['Scopes'] }) {
  const t = useTranslations('apiKeys');
  const [isOpen, setOpen] = useState(false);
  if (scopesOfTenant.every((scope) => scopes.includes(scope))) return <>{t('everything')}</>;
  const shown = isOpen || scopes.length <= maxShown + 1 ? scopes : scopes.slice(0, maxShown);
  return (
    <Group gap={4}>
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
    <Stack gap={0}>
      <Instant at={CreatedAt} />
      {CreatedBy !== null && (
        <Text size="xs" c="dimmed" component="span" className="break">
          <Creator apiKey={apiKey} {...(tenantId === undefined ? {} : { tenantId })} />
        </Text>
      )}
    </Stack>
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
