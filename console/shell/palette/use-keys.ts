import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { matches, type Results } from './result.ts';

/** A key has 20 letters and digits. The service checks the rest. */
const mayBeKey = (text: string) => text.replaceAll(/[\s\p{Pd}]/gu, '').length === 20;

/**
 * The enrolment key that was entered. `isKey` is true unless the service says that the text is not a key. Such a text must
 * not become part of other calls, because anyone who has a key can redeem it.
 */
export function useEnteredKey(search: string, isOfTenant: boolean): Results & { isKey: boolean } {
  const t = useTranslations('keys');
  const { $api } = useApi();
  const enabled = isOfTenant && mayBeKey(search);
  const { data, error, isFetching } = $api.useQuery(
    'get',
    '/enrolment/key/{Key}',
    { params: { path: { Key: search } } },
    { enabled },
  );
  const isKey = enabled && (error === null || toFailure(error).code !== 'key_mistyped');
  if (!isKey || !data) return { results: [], isFetching, isKey };
  const { KeyID, KeyStart, Status, PurchaseOrder } = data;
  const result = {
    key: `key ${KeyID}`,
    label: t('keyOf', { start: KeyStart }),
    detail: [t(`statuses.${Status}`), PurchaseOrder].filter((text) => text !== null).join(' · '),
    open: openKeys({ key: KeyID }),
  };
  return { results: [result], isFetching, isKey };
}

/** The enrolment keys with this purchase order, which open as a list. */
export function useKeysOfOrder(search: string, isEnabled: boolean): Results {
  const t = useTranslations('palette');
  const { $api } = useApi();
  const query = { PurchaseOrder: search, Limit: 1, Count: true };
  const { data, isFetching } = $api.useQuery(
    'get',
    '/enrolment/key',
    { params: { query } },
    { enabled: isEnabled },
  );
  const [first] = data?.Items ?? [];
  if (!isEnabled || !first) return { results: [], isFetching };
  const { Records: count, More } = data?.Count ?? { Records: 1, More: true };
  const result = {
    key: `order ${search}`,
    label: search,
    detail: t(More ? 'manyKeysOfOrder' : 'keysOfOrder', { count }),
    open: openKeys({ po: search }),
  };
  return { results: [result], isFetching };
}

const openKeys =
  (search: { key?: string; po?: string }): Results['results'][number]['open'] =>
  (navigate) =>
    void navigate({ to: '/console/keys', search: search as never });

/** A tenant has few API keys, so they are read together and stay for a minute. */
export function useApiKeys(search: string, isEnabled: boolean): Results {
  const t = useTranslations('apiKeys');
  const { $api } = useApi();
  const { data, isFetching } = $api.useQuery(
    'get',
    '/key',
    { params: { query: { Limit: 200 } } },
    { enabled: isEnabled, staleTime: 60_000 },
  );
  const found = isEnabled ? (data?.Items ?? []).filter(({ Name }) => matches(Name, search)) : [];
  return {
    results: found.slice(0, 5).map(({ KeyID, Name, RevokedAt }) => ({
      key: `api key ${KeyID}`,
      label: Name,
      ...(RevokedAt === null ? {} : { detail: t('revoked') }),
      open: (navigate) => void navigate({ to: '/console/api-keys', search: {} }),
    })),
    isFetching,
  };
}
