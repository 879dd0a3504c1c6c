import { List, Skeleton, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';

type Person = Parameters<typeof nameOf>[0];
type Props = { people: readonly Person[]; onClose: () => void };

/** Says who gets an email and who does not, and why, before anybody is reminded. */
export function RemindDialog({ people, onClose }: Props) {
  const t = useTranslations('team');
  const { LoginID } = useSession();
  const { $api } = useApi();
  const queries = useQueryClient();
  const path = { LoginID: LoginID ?? '' };
  const names = new Map(people.map((person) => [person.LoginID ?? '', nameOf(person)]));
  const body = { LoginIDs: [...names.keys()] };
  const plan = $api.useMutation('post', '/team/{LoginID}/remind');
  const remind = $api.useMutation('post', '/team/{LoginID}/remind');
  const { mutate } = plan;
  // biome-ignore lint/correctness/useExhaustiveDependencies: planned once, when the dialog opens
  useEffect(() => mutate({ params: { path, query: { Plan: true } }, body }), [mutate]);
  const count = plan.data?.Reminded ?? 0;
  const leftOut = plan.data?.People.filter(({ Reason }) => Reason !== null) ?? [];
  const submit = async () => {
    const { Reminded } = await remind.mutateAsync({ params: { path, query: { Confirm: count } }, body });
    await queries.invalidateQueries();
    notify(t('reminded', { count: Reminded }));
  };
  return (
    <FormDialog
      title={t('remindTitle')}
      isOpen
      onClose={onClose}
      submit={t('remindCount', { count })}
      onSubmit={submit}
      isBlocked={count === 0}
    >
      <FailedAction error={plan.error} />
      {plan.data ? (
        <Stack gap="sm">
          <Text>{t(count > 0 ? 'remindText' : 'nobodyText', { count })}</Text>
          {leftOut.length > 0 && (
            <>
              <Text size="sm" fw={600}>
                {t('leftOut')}
              </Text>
              <List size="sm">
                {leftOut.map(({ LoginID, Reason }) => (
                  <List.Item key={LoginID} className="break">
                    {names.get(LoginID) ?? LoginID}: {Reason !== null && t(`reasons.${Reason}`)}
                  </List.Item>
                ))}
              </List>
            </>
          )}
        </Stack>
      ) : (
        plan.isPending && <Skeleton height={60} />
      )}
    </FormDialog>
  );
}
