import { List, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { nameOf } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';

export type Remind = components['schemas']['RemindRequest'];

type Props = {
  whom: Remind;
  /** Set for managers, who can remind only their own team and know its members by name. */
  team?: { manager: string; people: readonly Person[] };
  onClose: () => void;
};
type Person = Parameters<typeof nameOf>[0];

/** Says who would get a reminder and who is left out and why, and then sends it. */
export function RemindDialog({ whom, team, onClose }: Props) {
  const t = useTranslations('requirements.remind');
  const { client } = useApi();
  const queries = useQueryClient();
  const send = (query: { Plan: true } | { Confirm: number }) => {
    if (!team) return dataOf(client.POST('/remind', { params: { query }, body: whom }));
    const params = { path: { LoginID: team.manager }, query };
    return dataOf(client.POST('/team/{LoginID}/remind', { params, body: { LoginIDs: whom.LoginIDs ?? [] } }));
  };
  const namesOf = (loginIds: readonly string[]) =>
    team?.people
      .filter(({ LoginID }) => loginIds.includes(LoginID ?? ''))
      .map(nameOf)
      .join(', ');
  const plan = useQuery({
    queryKey: ['remind', whom],
    queryFn: () => send({ Plan: true }),
    gcTime: 0,
  });
  const count = plan.data?.Reminded ?? 0;
  const reasons = Map.groupBy(
    plan.data?.People.flatMap(({ LoginID, Reason }) => (Reason === null ? [] : { LoginID, Reason })) ?? [],
    ({ Reason }) => Reason,
  );
  return (
    <FormDialog
      isOpen
      title={t('title')}
      onClose={onClose}
      submit={t('submit', { count })}
      isBlocked={count === 0}
      onSubmit={async () => {
        const { Reminded } = await send({ Confirm: count });
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
                <List.Item key={reason}>
                  {t(`reasons.${reason}`, { count: people.length })}
                  {team && `: ${namesOf(people.map(({ LoginID }) => LoginID))}`}
                </List.Item>
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
