import { List, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import type { nameOf } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Names } from '../users/person.tsx';

export type Remind = components['schemas']['RemindRequest'];

type Props = {
  whom: Remind;
  /** Set for managers, who can remind only their own team and know its members by name. */
  team?: { manager: string; people: readonly Person[] };
  onClose: () => void;
};
type Reason = components['schemas']['RemindResult']['People'][number]['Reason'];
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
  const plan = useQuery({
    queryKey: ['remind', whom],
    queryFn: () => send({ Plan: true }),
    gcTime: 0,
  });
  const count = plan.data?.Reminded ?? 0;
  const people = Map.groupBy(plan.data?.People ?? [], ({ Reason }) => Reason);
  const names = (reason: Reason, count?: number) => (
    <Names
      loginIds={people.get(reason)?.map(({ LoginID }) => LoginID) ?? []}
      {...(team && { known: team.people })}
      {...(count !== undefined && { count })}
    />
  );
  const leftOut = [...people.keys()].filter((reason) => reason !== null);
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
          {count > 0 && (
            <Text size="sm" mt="xs" className="break">
              {names(null, count)}
            </Text>
          )}
          {leftOut.length > 0 && (
            <>
              <Text mt="md">{t('leftOut', { count: plan.data.LeftOut })}</Text>
              <List size="sm" mt="xs">
                {leftOut.map((reason) => (
                  <List.Item key={reason} className="break">
                    {t(`reasons.${reason}`, { count: people.get(reason)?.length ?? 0 })}: {names(reason)}
                  </List.Item>
                ))}
              </List>
            </>
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
