import { List, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';

export type Remind = components['schemas']['RemindRequest'];

/** Says who would get a reminder and who is left out and why, and then sends it. */
export function RemindDialog({ whom, onClose }: { whom: Remind; onClose: () => void }) {
  const t = useTranslations('requirements.remind');
  const { client } = useApi();
  const queries = useQueryClient();
  const plan = useQuery({
    queryKey: ['remind', whom],
    queryFn: () => dataOf(client.POST('/remind', { params: { query: { Plan: true } }, body: whom })),
    gcTime: 0,
  });
  const count = plan.data?.Reminded ?? 0;
  const reasons = Map.groupBy(
    plan.data?.People.flatMap(({ Reason }) => Reason ?? []) ?? [],
    (reason) => reason,
  );
  return (
    <FormDialog
      isOpen
      title={t('title')}
      onClose={onClose}
      submit={t('submit', { count })}
      isBlocked={count === 0}
      onSubmit={async () => {
        const { Reminded } = await dataOf(
          client.POST('/remind', { params: { query: { Confirm: count } }, body: whom }),
        );
        await queries.invalidateQueries();
        notify(t('done', { count: Reminded }));
      }}
    >
      {plan.data ? (
        <div role="status">
          <Text>{t('plan', { count })}</Text>
          {reasons.size > 0 && (
            <List size="sm" mt="xs">
              {[...reasons].map(([reason, people]) => (
                <List.Item key={reason}>{t(`reasons.${reason}`, { count: people.length })}</List.Item>
              ))}
            </List>
          )}
        </div>
      ) : plan.error ? (
        <Failed error={plan.error} onRetry={plan.refetch} />
      ) : (
        <WaitingRows rows={2} />
      )}
    </FormDialog>
  );
}
