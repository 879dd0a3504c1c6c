import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Endpoint } from './health.tsx';

/** Sets the endpoint to each status in turn, and reports the result. */
export function useStatus({ WebhookID }: Endpoint) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const update = $api.useMutation('put', '/webhook/{WebhookID}');
  return async (statuses: readonly Endpoint['Status'][], done: 'isEnabled' | 'isDisabled' | 'isTried') => {
    for (const Status of statuses)
      await update.mutateAsync({ params: { path: { WebhookID } }, body: { Status } });
    await queries.invalidateQueries();
    notify(t(done));
  };
}
